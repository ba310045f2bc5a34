"""Why a file is not taken or cannot be read, and why media are not made or kept."""

from palabre.kernel.errors import StorageError, UpstreamError, UserError
from palabre.kernel.text import Text, text


class FileRefusedError(UserError):
    """The content of a file is not of a kind that is taken: `data["mime"]` (seed 000 §5.10)."""

    code = "file_refused"


class ExtensionRefusedError(UserError):
    """A file without known content has an extension that is not taken: `data["extension"]`."""

    code = "extension_refused"


class ExtensionMissingError(ExtensionRefusedError):
    """A file without known content has no extension that could say what it is."""

    code = "extension_missing"


class FilesBusyError(UpstreamError):
    """As many files as may wait, `data["waiting"]`, wait to be read already."""

    code = "files_busy"


class FileUnreadableError(UserError):
    """A file was taken but cannot be read.

    Attributes:
        reason: Code of a text, such as `file_reason.damaged`; its values are in `data`.
    """

    code = "file_unreadable"

    def __init__(self, reason: str, **data: str | int | float) -> None:
        super().__init__(**data)
        self.reason = reason

    @property
    def text(self) -> Text:
        """What to tell the user: that it cannot be read, and why."""
        return text(f"error.{self.code}", reason=text(self.reason, **self.data))


class MediaFullError(StorageError):
    """Kept pictures and music take all of `data["limit_mb"]` already."""

    code = "media_full"


class NoImageGeneratorError(UpstreamError):
    """No server that makes pictures is configured."""

    code = "no_image_generator"


class NoComposerError(UpstreamError):
    """No server that makes music is configured."""

    code = "no_composer"


class NotAPictureError(UpstreamError):
    """`data["service"]` sent a file that is no whole PNG, JPEG or WebP."""

    code = "not_a_picture"


class PictureTooLargeError(UpstreamError):
    """`data["service"]` sent more pixels than the `data["most"]` that are allowed."""

    code = "picture_too_large"


class NoPictureError(UpstreamError):
    """`data["service"]` says that it is done, and has made no picture."""

    code = "no_picture"


class GenerationInterruptedError(UpstreamError):
    """Somebody else stopped the work at `data["service"]`."""

    code = "generation_interrupted"


class NoCheckpointError(UpstreamError):
    """`data["service"]` has no checkpoint to make pictures with."""

    code = "no_checkpoint"


class NotMusicError(UpstreamError):
    """`data["service"]` sent a file that is no whole WAV."""

    code = "not_music"


class MusicLengthError(UpstreamError):
    """`data["service"]` sent `data["length_s"]` seconds where `data["asked_s"]` were wanted."""

    code = "music_length"
