"""The cards that personas came in, kept beside their files.

`<id>.toml` is the persona that people edit, `<id>.card.json` its card as it was written,
`<id>.card.png` its picture, `<id>.card.charx` the zip that it came in.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from palabre.adapters.personas.card_translation import remarks_on, to_card, to_character
from palabre.adapters.personas.persona_file import read_persona
from palabre.adapters.personas.persona_toml import persona_toml
from palabre.adapters.personas.table import FILE_SIZE_MAX_BYTES
from palabre.core.personas.card_names import fit_id, fit_nick, free_id, free_nick, is_id
from palabre.core.personas.cards import Draft, drafted
from palabre.core.personas.errors import PersonaFilesError
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import Nick, PersonaId
from palabre.kernel.text import Text, text
from palabre.wire.cards.card_file import CardFile, CardFormat, read_card
from palabre.wire.cards.charx import write_charx
from palabre.wire.cards.document import CardDocument, read_document, write_v3
from palabre.wire.cards.errors import MAX_FILE_BYTES, CardError
from palabre.wire.cards.png import plain_picture, write_png


@dataclass(frozen=True, slots=True)
class ImportedCard:
    """A persona that came in a card.

    Attributes:
        persona: Who it is now.
        path: Its file.
        kept: What was kept beside it.
        remarks: What its owner should know.
    """

    persona: Persona
    path: Path
    kept: tuple[Path, ...]
    remarks: tuple[Text, ...]


class CardShelf:
    """Takes cards in as personas and gives personas out as cards. It blocks: use a thread.

    Args:
        folder: Where personas of this installation are; created when the first comes.
        bundled: Where those are that come along: a file of the same id would replace them.
        default_model: What a card wishes for that names no model.
    """

    def __init__(self, folder: Path, bundled: Path, *, default_model: str) -> None:
        self._folder = folder
        self._bundled = bundled
        self._default_model = default_model

    def take(self, content: bytes, cast: Cast, *, wished_id: str = "") -> ImportedCard:
        """Keep the card *content* and make a persona of it; nothing is ever overwritten.

        Args:
            content: The file.
            cast: Those whose names are taken.
            wished_id: The id that the persona shall have; empty makes one of its name.

        Raises:
            CardError: There is no card in it, or *wished_id* is taken or unfit.
            StorageError: The files cannot be written.
        """
        card = read_card(content)
        character = to_character(card.document)
        draft = drafted(character, model=self._default_model)
        wished = fit_nick(character.own.nick or character.name)
        nick = free_nick(wished, [each.nick for each in cast.personas] + self._own_nicks())
        persona = _fitting(_to_persona(draft, self._id(wished_id, nick), nick))
        remarks = [*card.remarks, *draft.remarks, *remarks_on(card.document)]
        if nick != wished:
            remarks.insert(0, text("card.remark.renamed", wished=wished, nick=nick))
        path, kept = self._keep(persona, card)
        return ImportedCard(persona, path, kept, tuple(remarks))

    def drop(self, persona_id: PersonaId) -> None:
        """Forget the persona of that id, which came in a card, and what was kept beside it."""
        for form in ("json", "png", "charx"):
            (self._folder / f"{persona_id}.card.{form}").unlink(missing_ok=True)
        (self._folder / f"{persona_id}.toml").unlink(missing_ok=True)

    def give(self, persona: Persona, form: CardFormat, now_s: int) -> bytes:
        """Return *persona* as a card: V3, and in a picture V2 as well.

        Args:
            persona: Who it is.
            form: What to write.
            now_s: Seconds since 1970, UTC.

        Raises:
            CardError: What was kept of its card is broken.
        """
        try:
            return self._given(persona, form, now_s)
        except CardError as error:
            kept = self._folder / f"{persona.id}.card.*"
            raise CardError("kept_broken", files=str(kept)) from error

    def _given(self, persona: Persona, form: CardFormat, now_s: int) -> bytes:
        card = to_card(persona, self._kept_card(persona.id), now_s)
        if form == "json":
            return write_v3(card)
        picture = self._read(persona.id, "png") or plain_picture(persona.color)
        if form == "png":
            return write_png(card, picture)
        return write_charx(card, self._read(persona.id, "charx"), picture)

    def _id(self, wished_id: str, nick: Nick) -> PersonaId:
        taken = self._taken_ids()
        if not wished_id:
            return free_id(fit_id(nick), taken)
        if not is_id(wished_id):
            raise CardError("bad_id", id=wished_id[:100])
        if wished_id in taken:
            raise CardError("id_taken", id=wished_id)
        return PersonaId(wished_id)

    def _taken_ids(self) -> Collection[str]:
        return {
            path.name.partition(".")[0]
            for folder in (self._folder, self._bundled)
            for path in _files(folder)
        }

    def _own_nicks(self) -> list[str]:
        """Return the names that wrong files ask for: they come back when they are mended."""
        paths = [path for path in _files(self._folder) if path.suffix == ".toml"]
        return [read_persona(path).nick for path in paths]

    def _kept_card(self, persona_id: PersonaId) -> CardDocument | None:
        content = self._read(persona_id, "json")
        return read_document(content) if content is not None else None

    def _read(self, persona_id: PersonaId, form: CardFormat) -> bytes | None:
        path = self._folder / f"{persona_id}.card.{form}"
        try:
            with path.open("rb") as file:
                return file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(detail=f"{path}: {error.strerror or error}") from error

    def _keep(self, persona: Persona, card: CardFile) -> tuple[Path, tuple[Path, ...]]:
        """Write the persona last: a file of it is the sign that all others are there."""
        contents: Mapping[CardFormat, bytes | None] = {
            "json": card.json,
            "png": card.picture,
            "charx": card.archive,
        }
        kept = {
            self._folder / f"{persona.id}.card.{form}": content
            for form, content in contents.items()
            if content is not None
        }
        path = self._folder / f"{persona.id}.toml"
        written: list[Path] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for each, content in {**kept, path: persona_toml(persona).encode()}.items():
                _write_new(each, content, written)
            _demand_sound(path)
        except BaseException as error:
            for each in written:
                each.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise StorageError(detail=f"{path}: {error.strerror or error}") from error
            raise
        return path, tuple(kept)


def _write_new(path: Path, content: bytes, written: list[Path]) -> None:
    with path.open("xb") as file:
        written.append(path)
        file.write(content)


def _demand_sound(path: Path) -> None:
    if problems := read_persona(path).problems:
        raise PersonaFilesError(problems)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _to_persona(draft: Draft, persona_id: PersonaId, nick: Nick) -> Persona:
    return Persona(
        id=persona_id,
        nick=nick,
        color=draft.color,
        model=draft.model,
        summary=draft.summary,
        prompt=draft.prompt,
        short_prompt=draft.short_prompt,
        examples=draft.examples,
        voice=draft.voice,
        max_tokens=draft.max_tokens,
    )


def _fitting(persona: Persona) -> Persona:
    """Return *persona* with as many examples as its file has room for."""
    while persona.examples and len(persona_toml(persona).encode()) > FILE_SIZE_MAX_BYTES:
        persona = replace(persona, examples=persona.examples[:-1])
    return persona
