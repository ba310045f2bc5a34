"""Where this installation's personas are."""

from collections.abc import Sequence
from pathlib import Path

from palabre.adapters.personas.card_shelf import CardShelf
from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.app.settings import Settings


def library_for(settings: Settings, files: Sequence[Path] = ()) -> TomlPersonaLibrary:
    """Return the personas that come along and those of this installation, which win.

    The latter are in `personas.dir`, or `<data dir>/personas`. A `topics.toml` in the data dir
    replaces the topic rules that come along; it is looked for now, not at each load.

    Args:
        settings: Where to look.
        files: Persona files from elsewhere, which win over both.
    """
    own_topics = settings.data_dir / "topics.toml"
    topics = own_topics if own_topics.is_file() else settings.content_dir / "topics.toml"
    own = own_directory(settings)
    return TomlPersonaLibrary([settings.content_dir / "personas", own], topics, files)


def own_directory(settings: Settings) -> Path:
    """Return the folder of this installation's own personas; it may not exist yet."""
    return settings.personas.dir or settings.data_dir / "personas"


def card_shelf_for(settings: Settings) -> CardShelf:
    """Return what takes character cards into this installation's own personas."""
    bundled = settings.content_dir / "personas"
    return CardShelf(own_directory(settings), bundled, default_model=settings.models.default_model)
