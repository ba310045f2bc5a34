"""Results for a demonstration without a script: French, about the query, the same each time."""

import re
import zlib
from urllib.parse import quote

from palabre.sim.searxng.script import Result

PAGE, PAGES = 10, 3
_KINDS = (
    ("encyclopedie", "wikipedia", "{query} : l'article de l'encyclopédie, sources et chronologie."),
    ("revue", "google scholar", "Un numéro entier consacré à {query}, avec douze entretiens."),
    ("archives", "internet archive", "Enregistrements, lettres et photographies sur {query}."),
    ("radio", "duckduckgo", "Cinq heures d'émissions autour de {query}, à réécouter en ligne."),
    ("atelier", "qwant", "Comment débuter avec {query} : exercices pas à pas et matériel."),
    ("forum", "reddit", "On discute de {query} depuis des années, et l'on n'est pas d'accord."),
    ("bibliotheque", "openlibrary", "Trente ouvrages sur {query}, du plus simple au plus savant."),
)


def improvise(query: str, page: int) -> tuple[Result, ...]:
    """Return the results of *query* on *page*, which counts from 1; none after the third."""
    if page > PAGES or not query.strip():
        return ()
    first = zlib.crc32(query.casefold().encode(errors="replace"))
    return tuple(_result(query, first, (page - 1) * PAGE + place) for place in range(PAGE))


def _result(query: str, first: int, place: int) -> Result:
    kind, engine, sentence = _KINDS[(first + place) % len(_KINDS)]
    path = quote(re.sub(r"\W+", "-", query.strip().casefold()).strip("-") or "page", safe="-")
    return Result(
        title=f"{query.strip()} — {kind} {place + 1}",
        url=f"https://{kind}.example.org/{path}/{place + 1}",
        content=sentence.format(query=query.strip()),
        engine=engine,
    )
