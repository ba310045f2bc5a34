"""What the simulated search engine finds, written as TOML. See `docs/simulators.md`."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from palabre.sim.script import Table, read_script


class Fault(StrEnum):
    """How a search fails."""

    HTTP = "http"
    """A status (500 unless the rule says otherwise) and a page."""
    BUSY = "busy"
    """429 with Retry-After, as SearXNG's limiter."""
    ANOMALY = "anomaly"
    """202 and a page that asks whether one is human, as DuckDuckGo; elsewhere as `busy`."""
    HTML = "html"
    """200 and a page where JSON was asked for."""
    CUT = "cut"
    """Half an answer, then the connection closes."""
    SLOW = "slow"
    """The answer byte by byte, one each quarter of a second."""
    HANG = "hang"
    """No answer at all."""
    HUGE = "huge"
    """The answer, and then blanks up to `huge_bytes`."""
    REDIRECT = "redirect"
    """302 to `location`."""


Text = Annotated[str, Field(min_length=1)]


class Result(Table):
    """One result.

    Attributes:
        url: Absolute.
        published: ISO 8601; None for pages without a date.
    """

    title: Text
    url: Annotated[str, Field(pattern=r"^[a-z]+://\S+$")]
    content: str = ""
    engine: Text = "wikipedia"
    category: Text = "general"
    published: str | None = None


class Answer(Table):
    """One rule; the first that fits a query, and is not used up, answers it.

    Attributes:
        when: Part of the query, letters' case aside; None fits all.
        result: What is found; none at all unless `improvise`.
        improvise: Whether results are made up from the query, as without a script.
        answers: Direct answers; so corrections and suggestions.
        unresponsive: Engines that did not answer, as (name, reason).
        delay_s: Wait before the answer; None takes the script's.
        error: How it fails.
        status: HTTP status of `http`.
        location: Where `redirect` leads.
        times: How often it answers; None is for ever.
    """

    when: str | None = None
    result: tuple[Result, ...] = ()
    improvise: bool = False
    answers: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    unresponsive: tuple[tuple[str, str], ...] = ()
    delay_s: Annotated[float, Field(ge=0)] | None = None
    error: Fault | None = None
    status: Annotated[int, Field(ge=400, le=599)] = 500
    location: str = "http://127.0.0.1:9/"
    times: Annotated[int, Field(gt=0)] | None = None

    def fits(self, query: str) -> bool:
        """Say whether this rule answers *query*."""
        return self.when is None or self.when.casefold() in query.casefold()


class Script(Table):
    """A whole simulated search engine.

    Attributes:
        json_allowed: Whether `format=json` is; a fresh SearXNG forbids it.
        delay_s: Wait before each answer.
        huge_bytes: Size of the answers that are too large.
        advert: Whether the page of DuckDuckGo Lite begins with a sponsored link.
        answer: The rules; a query that none fits gets improvised results.
    """

    json_allowed: bool = True
    delay_s: Annotated[float, Field(ge=0)] = 0.0
    huge_bytes: Annotated[int, Field(gt=0)] = 64 << 20
    advert: bool = False
    answer: tuple[Answer, ...] = ()


def parse_script(source: str) -> Script:
    """Read a script.

    Raises:
        ScriptError: *source* is not TOML, or has mistakes; all of them are told.
    """
    return read_script(source, Script)
