"""Take over personas, sources, feedback and proposals of a KXKM_Clown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from palabre.adapters.storage.kxkm.editorial import (
    Found,
    Item,
    id_of,
    judgement_in,
    moment,
    things_in,
    words,
)
from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.adapters.storage.kxkm.tally import Tally
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.signs import sayable
from palabre.app.clock import SystemClock
from palabre.app.editorial import edited_library
from palabre.app.kxkm_opinions import Judged, OpinionImport
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.editorial.errors import InvalidPersonaNameError, PersonaNameTakenError
from palabre.core.editorial.limits import (
    MAX_MODEL_CHARS,
    MAX_NAME_CHARS,
    MAX_REFERENCE_CHARS,
    MAX_REFERENCES,
    MAX_SOURCE_CHARS,
    MAX_SUBJECT_CHARS,
    MAX_SUMMARY_CHARS,
)
from palabre.core.editorial.model import (
    DeskPersona,
    PersonaEdit,
    Source,
)
from palabre.core.editorial.names import checked_name, demand_free, nick_of
from palabre.core.personas.card_names import is_id
from palabre.kernel.ids import PersonaId
from palabre.kernel.lookalikes import nick_keys

KINDS = ("persona", "source", "feedback", "proposal")


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
    _found: dict[str, list[Found]] = field(default_factory=lambda: {k: [] for k in KINDS})
    _judged: list[Judged] = field(default_factory=list)
    _desk: dict[PersonaId, DeskPersona] = field(default_factory=dict)
    _edits: dict[PersonaId, PersonaEdit] = field(default_factory=dict)
    _taken_names: set[str] = field(default_factory=set)
    _sources: set[PersonaId] = field(default_factory=set)

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
            self._judged.append(Judged(place, stem, id_of(stem, line), at, judgement))

    async def run(self) -> None:
        """Take what was read, in the transaction of whoever calls.

        Raises:
            StorageError: It cannot be kept.
        """
        library = edited_library(self.settings, self.database, library_for(self.settings))
        self._desk = {each.id: each for each in (await library.desk()).personas}
        edits = await SqlEditStore(self.database).edits()
        self._edits = {each.persona_id: each for each in edits}
        for account in await SqlAccountStore(self.database).all():
            self._taken_names |= nick_keys(account.username)
        for each in self._found["persona"]:
            await self._take_persona(each)
        for each in self._found["source"]:
            await self._take_source(each)
        opinions = await OpinionImport.open(
            self.database, self.tallies, self._persona, dry=self.dry
        )
        for each in self._found["feedback"]:
            await opinions.take_feedback(each)
        for judged in self._judged:
            await opinions.take_judged(judged)
        for each in self._found["proposal"]:
            await opinions.take_proposal(each)

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
        model, summary = (
            words(item, "model", MAX_MODEL_CHARS),
            words(item, "summary", MAX_SUMMARY_CHARS),
        )
        here = self._desk.get(persona_id)
        if here is None:
            name = checked_name(words(item, "name", MAX_NAME_CHARS))
            self._demand_free(name)
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

    def _demand_free(self, name: str) -> None:
        demand_free(name, self._desk.values())
        if nick_keys(nick_of(name)) & self._taken_names:
            raise PersonaNameTakenError(name=name, other=name)

    async def _keep_edit(self, edit: PersonaEdit) -> None:
        self._edits[edit.persona_id] = edit
        if edit.name is not None:
            self._taken_names |= nick_keys(nick_of(edit.name))
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
            words(item, "subjectName", MAX_SUBJECT_CHARS),
            words(item, "summary", MAX_SOURCE_CHARS),
            tuple(sayable(str(each)[:MAX_REFERENCE_CHARS]) for each in said[:MAX_REFERENCES]),
        )
        is_new = persona_id not in self._sources and await store.source(persona_id) is None
        self._sources.add(persona_id)
        tally.note(is_new=is_new)
        if is_new and not self.dry:
            await store.put_source(source)

    def _persona(self, name: str) -> PersonaId | None:
        """Return who has the id or the nick *name*; None if nobody has."""
        wanted = name.casefold()
        for persona_id in (*self._desk, *self._edits):
            if persona_id.casefold() == wanted:
                return persona_id
        nicks = {each.persona.nick.casefold(): key for key, each in self._desk.items()}
        return nicks.get(wanted)
