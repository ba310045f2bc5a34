"""The JSON of SearXNG's search API (its public documentation and what its servers answer)."""

from collections.abc import Sequence
from urllib.parse import urlparse

from palabre.sim.ledger import JsonObject
from palabre.sim.searxng.script import Answer, Result

VERSION = "2026.10.12"
ENGINES = ("wikipedia", "duckduckgo", "qwant", "google scholar", "internet archive")


def found(query: str, results: Sequence[Result], rule: Answer) -> JsonObject:
    """Return the answer of `/search?format=json`."""
    return {
        "query": query,
        "number_of_results": 0,  # as real servers, which do not know it for most engines
        "results": [_result(result, place) for place, result in enumerate(results, start=1)],
        "answers": [_answer(text) for text in rule.answers],
        "corrections": list(rule.corrections),
        "infoboxes": [],
        "suggestions": list(rule.suggestions),
        "unresponsive_engines": [list(pair) for pair in rule.unresponsive],
    }


def _result(result: Result, place: int) -> JsonObject:
    return {
        "url": result.url,
        "title": result.title,
        "content": result.content,
        "publishedDate": result.published,
        "engine": result.engine,
        "template": "default.html",
        "parsed_url": list(urlparse(result.url)),
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "engines": [result.engine],
        "positions": [place],
        "score": 1 / place,
        "category": result.category,
    }


def _answer(text: str) -> JsonObject:
    return {
        "url": None,
        "engine": "answerer",
        "parsed_url": None,
        "template": "answer/legacy.html",
        "answer": text,
    }


def config() -> JsonObject:
    """Return the answer of `/config`."""
    return {
        "categories": ["general", "images", "music", "news", "science"],
        "engines": [_engine(name) for name in ENGINES],
        "plugins": [{"name": "Hash plugin", "enabled": True}],
        "instance_name": "SearXNG",
        "locales": {"en": "English", "fr": "Français"},
        "default_locale": "",
        "autocomplete": "",
        "safe_search": 0,
        "default_theme": "simple",
        "version": VERSION,
        "brand": {"PRIVACYPOLICY_URL": False, "CONTACT_URL": False, "GIT_URL": "", "DOCS_URL": ""},
        "limiter": {"enabled": False},
        "doi_resolvers": [],
        "default_doi_resolver": "",
        "public_instance": False,
    }


def _engine(name: str) -> JsonObject:
    return {
        "name": name,
        "categories": ["general"],
        "shortcut": name[:2],
        "enabled": True,
        "paging": True,
        "language_support": True,
        "languages": ["en", "fr"],
        "regions": [],
        "safesearch": False,
        "time_range_support": False,
        "timeout": 3.0,
    }
