"""Why nothing is said or heard."""

from palabre.core.models.errors import ReasonedError
from palabre.kernel.errors import UpstreamError


class NothingToSayError(UpstreamError):
    """There is no word in the text: signs, emoji, blanks."""

    code = "nothing_to_say"


class NoVoiceError(ReasonedError):
    """No engine can speak; the text names the next step."""

    code = "no_voice"


class NoEarsError(ReasonedError):
    """No engine can listen; the text names the next step."""

    code = "no_ears"
