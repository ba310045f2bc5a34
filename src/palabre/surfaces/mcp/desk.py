"""What programs can do here over MCP, as plain data."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from palabre.core.chat.direct import DirectAnswers, DirectQuestion, SpeechEnded
from palabre.core.chat.direct_prompt import Said
from palabre.core.chat.service import ChatService
from palabre.core.history.model import Wanted
from palabre.core.history.service import History
from palabre.core.knowledge.ports import PassageFinder
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Persona
from palabre.core.telemetry.ports import Machine
from palabre.kernel.clock import iso_utc
from palabre.kernel.errors import UpstreamError, UserError
from palabre.surfaces.mcp.arguments import Ask, Chat, Search
from palabre.surfaces.mcp.guest import Message, Progress, say
from palabre.texts import Language
from palabre.texts import say as in_words

Json = dict[str, Any]


class NoSuchPersonaError(UserError):
    """Nobody is called `data["name"]`; `data["known"]` are those who answer."""

    code = "mcp_no_persona"


class SilentPersonaError(UpstreamError):
    """The persona `data["nick"]` answered nothing."""

    code = "mcp_silent"


@dataclass(frozen=True, slots=True)
class Desk:
    """The house, as programs find it.

    Attributes:
        default_channel: Where a program speaks that names no channel.
        timeout_s: Longest time that answers of a room are waited for.
        version: Of the program.
    """

    chat: ChatService
    direct: DirectAnswers
    history: History
    knowledge: PassageFinder
    models: ModelRegistry
    machine: Machine
    language: Language
    default_channel: str
    timeout_s: float
    version: str

    async def personas(self) -> Json:
        """List the personas who answer."""
        told = [
            {"id": each.id, "nick": each.nick, "summary": each.summary, "model": each.model}
            for each in self.chat.cast.personas
        ]
        return {"personas": told}

    async def say(self, asked: Chat, progress: Progress) -> Json:
        """Say something in a channel, and return what personas answer to it."""
        message = Message(
            asked.message,
            asked.channel or self.default_channel,
            asked.nick,
            min(asked.timeout_s or self.timeout_s, self.timeout_s),
        )
        heard = await say(self.chat, message, progress)
        return {
            "channel": message.channel,
            "nick": heard.nick,
            "answers": [{"nick": each.author, "text": each.text} for each in heard.answers],
            "notices": [in_words(each, self.language) for each in heard.notices],
            "complete": heard.is_complete,
        }

    async def ask(self, asked: Ask, on_behalf_of: str, progress: Progress) -> Json:
        """Let one persona answer, outside of the rooms."""
        persona = self._persona(asked.persona)
        dialogue = (Said("user", asked.message),)
        question = DirectQuestion(persona, dialogue, asked.guidance, on_behalf_of=on_behalf_of)
        answer, chars = "", 0
        async with aclosing(self.direct.answer(question)) as events:
            async for event in events:
                if isinstance(event, SpeechEnded):
                    answer = event.text
                else:
                    chars += len(event.text)
                    await progress(chars, 0, persona.nick)
        if not answer:
            raise SilentPersonaError(nick=persona.nick)
        return {"persona": persona.id, "nick": persona.nick, "answer": answer}

    async def search(self, asked: Search) -> Json:
        """Search what was said, or the documents."""
        if asked.where == "documents":
            passages = await self.knowledge.find(asked.query)
            return {
                "where": asked.where,
                "results": [
                    {"title": each.title, "source": each.source, "text": each.text}
                    for each in passages
                ],
            }
        found = await self.history.search(
            Wanted(asked.query, asked.limit, channel=asked.channel or None)
        )
        lines = [
            {"at": iso_utc(each.at), "channel": each.channel, "nick": each.nick, "text": each.text}
            for each in found.lines
        ]
        return {"where": asked.where, "results": lines, "complete": found.is_complete}

    async def status(self) -> Json:
        """Say how the house is."""
        models = await self.models.models()
        return {
            "version": self.version,
            "uptimeSeconds": round(self.machine.uptime_s()),
            "people": self.chat.people,
            "personas": len(self.chat.cast.personas),
            "models": [str(each.ref) for each in models],
            "documents": await self.knowledge.count_documents(),
        }

    def _persona(self, name: str) -> Persona:
        found = self.chat.cast.named(name)
        if found is None:
            known = ", ".join(each.id for each in self.chat.cast.personas)
            raise NoSuchPersonaError(name=name[:40], known=known)
        return found
