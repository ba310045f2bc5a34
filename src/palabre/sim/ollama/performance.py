"""One answer, token by token: when each is due, and where it fails."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from palabre.sim.ledger import JsonObject
from palabre.sim.ollama.ledger import OllamaCall
from palabre.sim.ollama.script import Fault
from palabre.sim.ollama.shapes import ending, piece

_WORD_AND_SPACE = re.compile(r"\S+\s*|^\s+")


class HangUpError(Exception):
    """The script closes the connection here."""


class AnswerFailedError(Exception):
    """The script lets the answer fail here, with these words."""


def words(text: str) -> tuple[str, ...]:
    """Cut *text* into tokens: words with the blanks after them; nothing is lost."""
    return tuple(_WORD_AND_SPACE.findall(text))


@dataclass(frozen=True, slots=True)
class Performance:
    """An answer that is about to be sent.

    Attributes:
        chat: Whether it goes to `/api/chat`, else to `/api/generate`.
        calls: Tools that it asks for after the tokens.
        stamp: Whether each token tells when it was sent; see `Answer.stamp`.
        limit: Most tokens that may be sent; None is no limit.
        fault: How it fails after `after_tokens` tokens; None does not.
        error: The words of that failure.
        began_ns: When the call came, by the monotonic clock.
    """

    call: OllamaCall
    model: str
    chat: bool
    thoughts: tuple[str, ...]
    tokens: tuple[str, ...]
    tokens_per_s: float
    first_token_delay_s: float
    prompt_tokens: int
    calls: tuple[JsonObject, ...] = ()
    stamp: bool = False
    limit: int | None = None
    fault: Fault | None = None
    after_tokens: int = 0
    error: str = ""
    began_ns: int = field(default_factory=time.monotonic_ns)

    async def stream(self) -> AsyncGenerator[JsonObject]:
        """Yield each line when it is due.

        Raises:
            HangUpError: As the script says; so AnswerFailedError.
        """
        async for text, thinking in self._paced():
            yield piece(self.model, chat=self.chat, text=text, thinking=thinking)
        await self._fail()
        if self.calls:
            yield piece(self.model, chat=self.chat, calls=self.calls)
        yield piece(self.model, chat=self.chat) | self._ending()

    async def whole(self) -> JsonObject:
        """Return the answer in one object, when its last token is due.

        Raises:
            HangUpError: As the script says; so AnswerFailedError.
        """
        said = [pair async for pair in self._paced()]
        await self._fail()
        text = "".join(text for text, _ in said)
        thinking = "".join(thinking for _, thinking in said)
        whole = piece(self.model, chat=self.chat, text=text, thinking=thinking, calls=self.calls)
        return whole | self._ending()

    async def _paced(self) -> AsyncGenerator[tuple[str, str]]:
        loop = asyncio.get_running_loop()
        first_due = loop.time() + self.first_token_delay_s
        for number, (text, thinking) in enumerate(self._said()):
            await asyncio.sleep(max(0.0, first_due + number / self.tokens_per_s - loop.time()))
            self.call.tokens_sent += 1
            yield self._stamped(text), thinking

    def _said(self) -> list[tuple[str, str]]:
        """Return (text, thinking) of each token up to the limit and the fault."""
        said = [("", thought) for thought in self.thoughts] + [(text, "") for text in self.tokens]
        kept = said if self.limit is None else said[: self.limit]
        return kept if self.fault is None else kept[: self.after_tokens]

    def _stamped(self, text: str) -> str:
        return f"~T{time.monotonic_ns():016x}~{text}" if self.stamp and text else text

    async def _fail(self) -> None:
        if self.fault is Fault.SILENT:
            await asyncio.Event().wait()
        if self.fault is Fault.CUT:
            raise HangUpError
        if self.fault is not None:
            raise AnswerFailedError(self.error)

    def _ending(self) -> dict[str, object]:
        whole = len(self.thoughts) + len(self.tokens)
        return ending(
            "stop" if self.limit is None or whole <= self.limit else "length",
            prompt_tokens=self.prompt_tokens,
            tokens=self.call.tokens_sent,
            began_ns=self.began_ns,
        )
