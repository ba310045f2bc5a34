"""Readers of files that find what the test says."""

import asyncio

from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.model import Picture, Reading, SharedFile
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import PalabreError
from palabre.testing.speech import ScriptedTranscriber, silence

HEARD = "Bonjour à tous"
PICTURE = Picture(b"picture", "image/png", 2, 2)


class ScriptedReader:
    """Finds in each file the text of its bytes, a picture, and a recording.

    Attributes:
        files: The files so far.
        found: What is found instead; None for the usual.
        failure: Raised instead, if given.
        gate: Waited for before each answer, if given.
    """

    def __init__(self) -> None:
        self.files: list[SharedFile] = []
        self.found: Reading | None = None
        self.failure: PalabreError | None = None
        self.gate: asyncio.Event | None = None

    async def read(
        self,
        file: SharedFile,
        *,
        ocr: bool = False,  # noqa: ARG002
        text_bytes: int = 0,  # noqa: ARG002
    ) -> Reading:
        """Note *file* and return what is in it."""
        self.files.append(file)
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        words = file.content.decode("utf-8", "replace")
        return self.found or Reading(words, pages=3, picture=PICTURE, wav=silence())

    async def aclose(self) -> None:
        """Do nothing."""


def an_analyst(
    models: ModelRegistry,
    reader: ScriptedReader | None = None,
    transcriber: ScriptedTranscriber | None = None,
) -> FileAnalyst:
    """Return an analyst that finds what the test says."""
    return FileAnalyst(
        reader=reader or ScriptedReader(),
        transcriber=transcriber or ScriptedTranscriber(HEARD),
        models=models,
        vision_model="qwen3-vl:8b",
    )
