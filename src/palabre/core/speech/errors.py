"""Why nothing is said or heard."""

from palabre.core.models.errors import ReasonedError
from palabre.kernel.errors import UpstreamError, UserError


class NothingToSayError(UpstreamError):
    """There is no word in the text: signs, emoji, blanks."""

    code = "nothing_to_say"


class NotARecordingError(UserError):
    """The file `data["name"]` has no sound: it is `data["mime"]`."""

    code = "not_a_recording"


class NoVoiceError(ReasonedError):
    """No engine can speak; the text names the next step."""

    code = "no_voice"


class NoEarsError(ReasonedError):
    """No engine can listen; the text names the next step."""

    code = "no_ears"
