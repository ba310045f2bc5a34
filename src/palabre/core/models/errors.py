"""What can go wrong between us and a model.

`data["service"]` is whom to blame, by the name that people know; the registry sees to it. What a
server said itself is `detail` of a plain `UpstreamError`; everything else has a text of its own.
"""

from collections.abc import Sequence
from functools import reduce

from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text, verbatim


def reason_of(error: UpstreamError) -> Text:
    """Return what to tell of *error*: a server's own words as they are, else our text."""
    if error.code == UpstreamError.code and "detail" in error.data:
        return verbatim(str(error.data["detail"]))
    return error.text


class UnreachableServerError(UpstreamError):
    """Nothing answers there; `data["detail"]` is what the network said."""

    code = "upstream_unreachable"


class SilentServerError(UpstreamError):
    """It took too long."""

    code = "upstream_silent"


class CutAnswerError(UpstreamError):
    """It stopped in the middle."""

    code = "upstream_cut"


class OddAnswerError(UpstreamError):
    """It said what cannot be understood; `data["detail"]` is where reading stopped."""

    code = "upstream_odd"


class ModelBusyError(UpstreamError):
    """Too many calls wait already."""

    code = "model_busy"


class ModelNotFoundError(UpstreamError):
    """The provider does not have the model that was named."""

    code = "model_not_found"


class ModelNotFetchedError(ModelNotFoundError):
    """The weights of `data["model"]` are not here."""

    code = "model_not_fetched"


class ModelNotLoadedError(UpstreamError):
    """The weights of `data["model"]` are here, but will not run."""

    code = "model_not_loaded"


class PullUnsupportedError(UpstreamError):
    """The provider fetches no weights for others."""

    code = "pull_unsupported"


class ReasonedError(UpstreamError):
    """Several things were tried; `reasons` tell why none of them worked."""

    def __init__(self, reasons: Sequence[Text] = (), **data: str | int | float) -> None:
        super().__init__(**data)
        self.reasons = tuple(reasons)

    @property
    def text(self) -> Text:
        """What to tell the user, with every reason."""
        told = reduce(_both, self.reasons) if self.reasons else verbatim("")
        return Text(f"error.{self.code}", {**self.data, "reasons": told})


def _both(one: Text, other: Text) -> Text:
    return text("model_health.both", one=one, other=other)


class NoModelError(ReasonedError):
    """No provider in reach has any model that chats; the text names the next step."""

    code = "no_model"


class NoEmbedderError(UpstreamError):
    """No provider has a model that makes vectors; `data["asked"]` was wanted."""

    code = "no_embedder"


class EmbeddingUnsupportedError(UpstreamError):
    """The provider makes no vectors."""

    code = "embedding_unsupported"


class EngineMissingError(UpstreamError):
    """What runs `data["model"]`, the package `data["engine"]`, is not installed."""

    code = "engine_missing"


class NoProviderError(NoModelError):
    """No provider is called `data["provider"]`, or it is switched off."""

    code = "no_provider"


class NoChatModelError(NoModelError):
    """`data["service"]` has no model that chats."""

    code = "no_chat_model"


class WeightsError(ReasonedError):
    """Weights could not be fetched, or are not what was promised."""

    code = "weights_failed"


class UnknownWeightsError(WeightsError):
    """Nothing that can be fetched has this name."""

    code = "weights_unknown"


class WeightsFolderError(WeightsError):
    """`data["folder"]` does not take weights; `data["detail"]` is the system's reason."""

    code = "weights_folder"


class DiskFullError(WeightsError):
    """There is no room for the weights."""

    code = "disk_full"


class NoVisionModelError(UpstreamError):
    """No provider has a model that sees."""

    code = "no_vision_model"
