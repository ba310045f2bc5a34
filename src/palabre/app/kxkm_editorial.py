"""Take over personas, sources, feedback and proposals of a KXKM_Clown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from palabre.adapters.storage.kxkm.editorial import (
    Found,
    Item,
    id_of,
    judgement_in,
    leaning_of,
    moment,
    things_in,
    words,
)
from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.adapters.storage.kxkm.tally import Tally
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.app.clock import SystemClock
from palabre.app.editorial import edited_library
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.editorial.errors import InvalidPersonaNameError, PersonaNameTakenError
from palabre.core.editorial.model import (
    DeskPersona,
    Feedback,
    FeedbackKind,
    PersonaEdit,
    Proposal,
    Source,
    Wording,
)
from palabre.core.editorial.names import checked_name, demand_free
from palabre.core.editorial.votes import Judgement, read_judgement
from palabre.core.personas.card_names import is_id
from palabre.kernel.ids import PersonaId

MAX_NAME, MAX_MODEL, MAX_SUMMARY = 50, 100, 2000
MAX_SUBJECT, MAX_SOURCE, MAX_REFERENCES, MAX_REFERENCE = 200, 5000, 100, 500
"""Seed 000 §16."""

MAX_MESSAGE = 64_000
EVERY = 10**9

_TALLY = {
    "persona": "personas",
    "source": "sources",
    "feedback": "feedback",
    "proposal": "proposals",
}


@dataclass(frozen=True, slots=True)
class _Judged:
    """A judgement, by whom it is kept, and of whom."""

    place: str
    stem: str
    id: str
    at: datetime
    judgement: Judgement


@dataclass(slots=True)
class EditorialImport:
    """Reads things file by file, and takes them all at the end.

    Attributes:
        tallies: What became of them, by kind.
        dry: Whether nothing is to be written.
    """

    settings: Settings
    database: Database
    tallies: Mapping[str, Tally]
    dry: bool
    _found: dict[str, list[Found]] = field(default_factory=lambda: {k: [] for k in _TALLY})
    _judged: list[_Judged] = field(default_factory=list)
    _desk: dict[PersonaId, DeskPersona] = field(default_factory=dict)
    _edits: dict[PersonaId, PersonaEdit] = field(default_factory=dict)
    _known: dict[PersonaId, set[str]] = field(default_factory=dict)

    def read_things(self, file: SourceFile) -> None:
        """Read a file of `v2-local`.

        Raises:
            ValueError: It is no JSON.
            OSError: It cannot be read.
        """
        for each in things_in(file):
            if each.kind in self._found:
                self._found[each.kind].append(each)
            else:
                self.tallies["others"].leave(each.place, each.kind)

    def read_judgements(self, file: SourceFile) -> None:
        """Read `feedback/<persona>.jsonl`.

        Raises:
            OSError: It cannot be read.
        """
        at = datetime.fromtimestamp(int(file.path.stat().st_mtime), UTC)
        for place, line in file.lines():
            judgement = judgement_in(line) if line is not None else None
            if line is None or judgement is None:
                self.tallies["feedback"].leave(place, "no_judgement")
                continue
            stem = file.path.stem
            self._judged.append(_Judged(place, stem, id_of(stem, line), at, judgement))

    async def run(self) -> None:
        """Take what was read, in the transaction of whoever calls.

        Raises:
            StorageError: It cannot be kept.
        """
        library = edited_library(self.settings, self.database, library_for(self.settings))
        self._desk = {each.id: each for each in (await library.desk()).personas}
        edits = await SqlEditStore(self.database).edits()
        self._edits = {each.persona_id: each for each in edits}
        for kind, take in (
            ("persona", self._take_persona),
            ("source", self._take_source),
            ("feedback", self._take_feedback),
            ("proposal", self._take_proposal),
        ):
            for each in self._found[kind]:
                await take(each)
        for judged in self._judged:
            await self._take_judged(judged)

    async def _take_persona(self, found: Found) -> None:
        item, tally = found.item, self.tallies["personas"]
        persona_id = PersonaId(words(item, "id", 100))
        if not is_id(persona_id):
            tally.leave(found.place, "no_id")
            return
        if persona_id in self._edits:  # somebody has edited it here
            tally.note(is_new=False)
            return
        try:
            edit = self._edit(persona_id, item)
        except InvalidPersonaNameError:
            tally.leave(found.place, "no_name")
        except PersonaNameTakenError:
            tally.leave(found.place, "name_taken")
        else:
            tally.note(is_new=edit is not None)
            if edit is not None:
                await self._keep_edit(edit)

    def _edit(self, persona_id: PersonaId, item: Item) -> PersonaEdit | None:
        """Return what *item* wants of a persona; None where that is so already."""
        made_at = moment(item, SystemClock().now())
        enabled = False if item.get("enabled") is False else None
        model, summary = words(item, "model", MAX_MODEL), words(item, "summary", MAX_SUMMARY)
        here = self._desk.get(persona_id)
        if here is None:
            name = checked_name(words(item, "name", MAX_NAME))
            demand_free(name, self._desk.values())
            model = model or self.settings.models.default_model
            return PersonaEdit(
                persona_id=persona_id,
                created=True,
                name=name,
                model=model,
                summary=summary,
                enabled=enabled,
                made_at=made_at,
            )
        edit = PersonaEdit(
            persona_id=persona_id,
            model=model if model and model != here.persona.model else None,
            summary=summary if summary and summary != here.persona.summary else None,
            enabled=enabled,
            made_at=made_at,
        )
        is_same = edit == PersonaEdit(persona_id=persona_id, made_at=made_at)
        return None if is_same else edit

    async def _keep_edit(self, edit: PersonaEdit) -> None:
        self._edits[edit.persona_id] = edit
        if not self.dry:
            await SqlEditStore(self.database).put_edit(edit)

    async def _take_source(self, found: Found) -> None:
        item, tally, store = found.item, self.tallies["sources"], SqlEditStore(self.database)
        persona_id = self._persona(words(item, "personaId", 100))
        if persona_id is None:
            tally.leave(found.place, "no_persona")
            return
        references = item.get("references")
        said = references if isinstance(references, list) else []
        source = Source(
            persona_id,
            words(item, "subjectName", MAX_SUBJECT),
            words(item, "summary", MAX_SOURCE),
            tuple(str(each)[:MAX_REFERENCE] for each in said[:MAX_REFERENCES]),
        )
        is_new = await store.source(persona_id) is None
        tally.note(is_new=is_new)
        if is_new and not self.dry:
            await store.put_source(source)

    async def _take_feedback(self, found: Found) -> None:
        item, tally = found.item, self.tallies["feedback"]
        persona_id = self._persona(words(item, "personaId", 100))
        kind = next((each for each in FeedbackKind if each == item.get("kind")), None)
        message = words(item, "message", MAX_MESSAGE)
        if persona_id is None or kind is None or not message:
            tally.leave(found.place, "no_persona" if persona_id is None else "no_feedback")
            return
        at = moment(item, datetime.fromtimestamp(0, UTC))
        feedback_id = words(item, "id", 100) or id_of(persona_id, message.encode())
        feedback = Feedback(feedback_id, persona_id, kind, message, at)
        judgement = read_judgement(message)
        if judgement is not None:
            feedback = replace(feedback, leaning=judgement.leaning, prompt_key=judgement.prompt_key)
        elif kind is FeedbackKind.VOTE:
            feedback = replace(feedback, leaning=leaning_of(message))
        await self._keep_feedback(feedback)

    async def _take_judged(self, judged: _Judged) -> None:
        persona_id = self._persona(judged.stem)
        if persona_id is None:
            self.tallies["feedback"].leave(judged.place, "no_persona")
            return
        judgement = judged.judgement
        await self._keep_feedback(
            Feedback(
                judged.id,
                persona_id,
                judgement.kind,
                judgement.message,
                judged.at,
                leaning=judgement.leaning,
                prompt_key=judgement.prompt_key,
            )
        )

    async def _keep_feedback(self, feedback: Feedback) -> None:
        store = SqlFeedbackStore(self.database)
        known = self._known.get(feedback.persona_id)
        if known is None:
            kept = await store.latest(feedback.persona_id, EVERY)
            known = self._known[feedback.persona_id] = {each.id for each in kept}
        is_new = feedback.id not in known
        self.tallies["feedback"].note(is_new=is_new)
        known.add(feedback.id)
        if is_new and not self.dry:
            await store.put(feedback)

    async def _take_proposal(self, found: Found) -> None:
        item, tally, store = found.item, self.tallies["proposals"], SqlProposalStore(self.database)
        persona_id = self._persona(words(item, "personaId", 100))
        before, after = _wording(item.get("before")), _wording(item.get("after"))
        proposal_id = words(item, "id", 100)
        if persona_id is None or before is None or after is None or not proposal_id:
            tally.leave(found.place, "no_persona" if persona_id is None else "no_proposal")
            return
        is_new = await store.find(proposal_id) is None
        tally.note(is_new=is_new)
        if is_new and not self.dry:
            await store.add(
                Proposal(
                    proposal_id,
                    persona_id,
                    words(item, "reason", 100) or "reinforce_v2",
                    before,
                    after,
                    applied=item.get("applied") is True,
                    created_at=moment(item, datetime.fromtimestamp(0, UTC)),
                )
            )

    def _persona(self, name: str) -> PersonaId | None:
        """Return who has the id or the nick *name*; None if nobody has."""
        wanted = name.casefold()
        for persona_id in (*self._desk, *self._edits):
            if persona_id.casefold() == wanted:
                return persona_id
        nicks = {each.persona.nick.casefold(): key for key, each in self._desk.items()}
        return nicks.get(wanted)


def _wording(value: object) -> Wording | None:
    if not isinstance(value, dict):
        return None
    found = Wording(
        words(value, "name", MAX_NAME),
        words(value, "model", MAX_MODEL),
        words(value, "summary", MAX_SUMMARY),
    )
    return found if found.name else None
