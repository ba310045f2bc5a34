"""`/api/v2/feedback`: say what one thinks of an answer, or withdraw it (facts of seed 000, 3.8)."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict
from starlette.requests import Request

from palabre.core.auth.errors import SessionRequiredError
from palabre.core.auth.service import AuthService
from palabre.core.chat.recent_replies import (
    MAX_PROMPT_CHARS,
    MAX_RESPONSE_CHARS,
    RecentReplies,
)
from palabre.core.editorial.errors import ReplyNotFoundError
from palabre.core.editorial.model import FeedbackKind
from palabre.core.editorial.opinions import Opinions
from palabre.core.editorial.pace import Pace
from palabre.core.editorial.votes import Judgement, Verdict
from palabre.kernel.clock import Clock
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import OPEN, address_of, session_id_of
from palabre.surfaces.rooms.tickets import Tickets

Ticket = Annotated[str, Header(alias="x-upload-ticket")]

MAX_NICK_CHARS, MAX_REACTION_CHARS, MAX_ID_CHARS = 100, 32, 200


def _says(name: str, other: str, *words: str, reaction: bool = False) -> JsonDict:
    """Describe that *name* says one of *words*, and *other* nothing."""
    known: JsonDict = {name: {"enum": [*words]}, other: {"type": "null"}}
    if reaction:
        known["reaction"] = {"minLength": 1}
    return {"required": [name, *(["reaction"] if reaction else [])], "properties": known}


_ONE_THING = (
    _says("vote", "signal", "up", "down", "pin"),
    _says("vote", "signal", "react", reaction=True),
    _says("signal", "vote", "pin"),
    _says("signal", "vote", "react", reaction=True),
)
"""What `_says_one_thing` demands, for the description."""


class FeedbackBody(BaseModel):
    """What somebody thinks of an answer: a `vote` or a `signal`.

    Attributes:
        personaNick: Who answered.
        response: The answer; where the server knows `messageId`, what it knows counts.
        prompt: What was answered; so too.
        messageId: The answer's `replyId`, as frames have it.
        reaction: Needed for `react`.
    """

    model_config = ConfigDict(
        strict=True, populate_by_name=True, json_schema_extra={"oneOf": [*_ONE_THING]}
    )

    persona_nick: str = Field(min_length=1, max_length=MAX_NICK_CHARS, alias="personaNick")
    response: str = Field(min_length=1, max_length=MAX_RESPONSE_CHARS)
    prompt: str = Field(default="", max_length=MAX_PROMPT_CHARS)
    message_id: str = Field(default="", max_length=MAX_ID_CHARS, alias="messageId")
    vote: Literal["up", "down", "react", "pin"] | None = None
    signal: Literal["react", "pin"] | None = None
    reaction: str = Field(default="", max_length=MAX_REACTION_CHARS)
    channel: str = Field(default="", max_length=MAX_ID_CHARS)

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.vote is None) == (self.signal is None):
            raise ValueError("either vote or signal")
        if self.verdict == "react" and not self.reaction:
            raise ValueError("react needs a reaction")
        return self

    @property
    def verdict(self) -> Verdict:
        """What is thought of the answer."""
        said = self.vote or self.signal
        assert said is not None
        return said


class Withdrawal(BaseModel):
    """Which opinion on an answer is withdrawn.

    Attributes:
        personaNick: Who answered; where the server knows the answer, what it knows counts.
        vote: `up` and `down` are the same: the thumb.
        reaction: Needed for `react`.
    """

    model_config = ConfigDict(populate_by_name=True)

    persona_nick: str = Field(default="", max_length=MAX_NICK_CHARS, alias="personaNick")
    vote: Verdict
    reaction: str = Field(default="", max_length=MAX_REACTION_CHARS)


class FeedbackWithdrawn(BaseModel):
    """The opinion is forgotten."""

    withdrawn: Literal[True] = True


class FeedbackSaved(BaseModel):
    """The opinion was kept.

    Attributes:
        id: Of the feedback; the same when somebody says otherwise of one answer.
    """

    saved: Literal[True] = True
    id: str
    personaId: str  # noqa: N815  the wire's names
    kind: FeedbackKind


@dataclass(frozen=True, slots=True)
class FeedbackRoute:
    """Takes opinions from sessions, and from the people in the rooms by their tickets."""

    auth: AuthService
    tickets: Tickets
    replies: RecentReplies
    opinions: Opinions
    clock: Clock
    _pace: Pace = field(default_factory=Pace, init=False, compare=False)

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["feedback"])
        router.add_api_route(
            "/api/v2/feedback",
            self._take,
            methods=["POST"],
            summary="Say what one thinks of an answer",
            response_model=Envelope[FeedbackSaved],
            responses=refusals(401, 404, 429),
            dependencies=[OPEN],
        )
        router.add_api_route(
            "/api/v2/feedback/{message_id}",
            self._withdraw,
            methods=["DELETE"],
            summary="Withdraw what one thought of an answer",
            response_model=Envelope[FeedbackWithdrawn],
            responses=refusals(401, 404, 429),
            dependencies=[OPEN],
        )
        return router

    async def _take(
        self,
        body: FeedbackBody,
        request: Request,
        ticket: Ticket = "",
    ) -> Any:
        """Keep an opinion; another one of the same person on the same answer takes its place.

        Who has a ticket and no session can judge the answers that the server remembers.
        """
        voter, is_known = await self._admitted(request, ticket)
        persona, judgement = self._judgement(body)
        if not (is_known or self.replies.find(body.message_id)):
            raise ReplyNotFoundError
        saved = await self.opinions.judge(voter, persona, judgement)
        return told(FeedbackSaved(id=saved.id, personaId=saved.persona_id, kind=saved.kind))

    async def _withdraw(
        self,
        message_id: Annotated[str, Path(max_length=MAX_ID_CHARS)],
        withdrawn: Annotated[Withdrawal, Query()],
        request: Request,
        ticket: Ticket = "",
    ) -> Any:
        """Forget an opinion of whoever asks. An addition to the seed, where one can only vote."""
        voter, _ = await self._admitted(request, ticket)
        known = self.replies.find(message_id)
        persona = known.persona_id if known else withdrawn.persona_nick
        judgement = Judgement(
            withdrawn.vote, "", message_id=message_id, reaction=withdrawn.reaction
        )
        await self.opinions.withdraw(voter, persona, judgement)
        return told(FeedbackWithdrawn())

    async def _admitted(self, request: Request, ticket: str) -> tuple[str, bool]:
        """Return who judges, not too often, and whether they have a session."""
        voter, is_known = await self._voter(request, ticket)
        self._pace.admit(voter, address_of(request), self.clock.monotonic())
        return voter, is_known

    async def _voter(self, request: Request, ticket: str) -> tuple[str, bool]:
        """Return who judges, and whether they have a session."""
        try:
            session = await self.auth.session(session_id_of(request))
        except SessionRequiredError:
            member = self.tickets.holder(ticket)
            if member is None:
                raise
            return f"nick {member.nick.casefold()}", False
        return f"user {session.username.casefold()}", True

    def _judgement(self, body: FeedbackBody) -> tuple[str, Judgement]:
        """Return who answered and what is thought of that, as far as possible as it was."""
        known = self.replies.find(body.message_id)
        judgement = Judgement(
            body.verdict,
            response=known.response if known else body.response,
            prompt=known.prompt if known else body.prompt,
            message_id=body.message_id,
            channel=known.channel if known else body.channel,
            reaction=body.reaction,
        )
        return known.persona_id if known else body.persona_nick, judgement
