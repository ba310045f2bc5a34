"""Ask a running house everything that its description allows, and much that it does not."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import schemathesis
from schemathesis import engine, hooks
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response
from schemathesis.engine import events
from schemathesis.engine.recorder import ScenarioRecorder

RULES = frozenset(
    {"card", "invalid_persona_name", "invalid_username", "password_unfit", "sample_unfit"}
)
"""Codes of what no schema can say: the value of a name, the content of a file."""

PROTOCOL_ERROR = {"message", "type", "param", "code"}
"""What an error of the OpenAI protocol has."""

OUT_OF_RANGE = b'"message":"A number is out of range"'
"""No body may hold a number that no database takes, not even where nobody looks."""

SHADOWED = frozenset({"POST /api/admin/personas/import", "POST /api/admin/personas/suggest"})
"""Paths that `{persona_id}` matches too; methods of both are told."""


@dataclass
class Answers:
    """What came of it.

    Attributes:
        statuses: How often each operation answered by which status.
        wrong: What should not have been answered, each once.
    """

    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    wrong: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(each.total() for each in self.statuses.values())

    @property
    def all_statuses(self) -> set[int]:
        return {status for each in self.statuses.values() for status in each}

    @property
    def report(self) -> str:
        """All that is wrong, in words."""
        return "\n\n".join(f"{name}: {check}\n{told}" for (name, check), told in self.wrong.items())

    def unanswered(self) -> set[str]:
        """Return the operations that were never asked in a way that they could grant."""
        return {name for name, each in self.statuses.items() if min(each) >= 400}

    def add(self, recorder: ScenarioRecorder) -> None:
        """Note what *recorder* saw."""
        for case_id, interaction in recorder.interactions.items():
            name = recorder.cases[case_id].value.operation.label
            response = interaction.response
            if response is None:
                self.wrong[name, "no answer"] = interaction.request.uri
                continue
            self.statuses.setdefault(name, Counter())[response.status_code] += 1
            for problem, told in _problems(name, response, recorder, case_id):
                shown = f"{told}\n{interaction.request.method} {interaction.request.uri}"
                self.wrong.setdefault((name, problem), f"{shown}\n{response.content[:400]!r}")


def fuzz(
    url: str, auth: Mapping[str, Any], examples: int, *, only: str = "", without: str = ""
) -> Answers:
    """Ask the operations whose paths match *only* and not *without*; it takes its time.

    Args:
        url: Of the description.
        auth: Of schemathesis: the security schemes and what they want.
        examples: How many values to try of each operation, after those at the limits.
    """
    schema = schemathesis.openapi.from_url(url, config=_config(url, auth, examples))
    schema = schema.include(path_regex=only) if only else schema
    schema = schema.exclude(path_regex=without) if without else schema
    answers = Answers()
    with _from_everywhere():
        for event in engine.from_schema(schema).execute():
            if isinstance(event, events.ScenarioFinished):
                answers.add(event.recorder)
            elif isinstance(event, events.NonFatalError):
                answers.wrong[event.label, "error"] = str(event.value)
            elif isinstance(event, events.FatalError):
                raise event.exception
    return answers


@contextmanager
def _from_everywhere() -> Iterator[None]:
    """Let each request come from another address, so that no limit of one counts."""
    numbers = count(1)

    def before_call(_context: Any, case: Any, _arguments: Any) -> None:
        case.headers["x-forwarded-for"] = str(IPv4Address(0x0A000000 + next(numbers)))

    schemathesis.hook(before_call)
    try:
        yield
    finally:
        hooks.unregister(before_call)


def _config(url: str, auth: Mapping[str, Any], examples: int) -> SchemathesisConfig:
    generation = {
        "max-examples": examples,
        "deterministic": True,
        "database": "none",
        "no-shrink": True,
        "with-security-parameters": False,
        "allow-x00": False,
    }
    return SchemathesisConfig.from_dict(
        {
            "seed": 1,
            "base-url": f"{urlsplit(url).scheme}://{urlsplit(url).netloc}",
            "workers": 1,
            "continue-on-failure": True,
            "request-timeout": 30,
            "cache": {"enabled": False},
            "auth": {"openapi": dict(auth)},
            "generation": generation,
            "phases": {
                "coverage": {"unexpected-methods": ["PATCH"]},
                "stateful": {"generation": {"max-examples": examples}, "max-steps": 4},
            },
        }
    )


def _problems(
    name: str, response: Response, recorder: ScenarioRecorder, case_id: str
) -> Iterator[tuple[str, str]]:
    for check in recorder.checks.get(case_id, ()):
        info = check.failure_info
        if info is not None and not _is_right(name, check.name, response):
            yield check.name, f"{info.failure.title}: {info.failure.message[:400]}"
    if (
        response.status_code >= 400
        and response.request.method != "HEAD"
        and not _error_of(response)
    ):
        yield "envelope", f"{response.status_code} without a code"


def _is_right(name: str, check: str, response: Response) -> bool:
    if check == "positive_data_acceptance":
        is_rule = _error_of(response) in RULES or OUT_OF_RANGE in response.content
        return is_rule or " /v1/" in name  # the protocol has one code for all values
    return check == "allow_header_conformance" and name in SHADOWED


def _error_of(response: Response) -> str:
    """Return the code of an error; empty if it has neither our shape nor, in `/v1`, the protocol's."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return ""
    if isinstance(body, dict) and isinstance(error := body.get("error"), dict):
        return str(error["code"]) if error.keys() == PROTOCOL_ERROR else ""
    is_ours = (
        isinstance(body, dict) and body.get("ok") is False and isinstance(body.get("error"), str)
    )
    return body["error"] if is_ours else ""
