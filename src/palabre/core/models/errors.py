"""What can go wrong between us and a model, where callers act on the difference."""

from palabre.kernel.errors import UpstreamError


class ModelBusyError(UpstreamError):
    """Too many calls wait already."""

    code = "model_busy"


class ModelNotFoundError(UpstreamError):
    """The provider does not have the model that was named."""

    code = "model_not_found"


class NoModelError(UpstreamError):
    """No provider in reach has any model that chats; the text names the next step."""

    code = "no_model"


class WeightsError(UpstreamError):
    """Weights could not be fetched, or are not what was promised."""

    code = "weights_failed"


class UnknownWeightsError(WeightsError):
    """Nothing that can be fetched has this name."""

    code = "weights_unknown"


class DiskFullError(WeightsError):
    """There is no room for the weights."""

    code = "disk_full"
