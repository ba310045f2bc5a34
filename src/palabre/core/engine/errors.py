"""What can be wrong with graphs and runs as a whole; faults of their parts are `Fault`s."""

from palabre.kernel.errors import PalabreError, UserError


class GraphNotFoundError(UserError):
    """There is no graph of that id: `data["graph"]`."""

    code = "graph_not_found"


class GraphUnreadableError(UserError):
    """No graph: what is at `data["place"]` should be `data["wanted"]`."""

    code = "graph_unreadable"


class GraphChangedError(UserError):
    """Somebody saved `data["graph"]` meanwhile: it is at version `data["version"]`."""

    code = "graph_changed"


class GraphFaultyError(UserError):
    """`data["graph"]` has `data["faults"]` faults and cannot run; validation names them."""

    code = "graph_faulty"


class RunNotFoundError(UserError):
    """There is no run of that id: `data["run"]`."""

    code = "run_not_found"


class ArtifactNotFoundError(UserError):
    """A run has no such artifact, or its file is gone: `data["artifact"]`."""

    code = "artifact_not_found"


class ModelNotRegisteredError(UserError):
    """The registry has no model of that name or alias: `data["model"]`."""

    code = "model_not_registered"


class NoQuestionError(UserError):
    """The step `data["step"]` does not wait for that answer."""

    code = "no_question"


class ArrowError(UserError):
    """A `data["subject"]` that is `data["state"]` cannot `data["event"]`."""

    code = "no_such_arrow"


class StepError(PalabreError):
    """A step cannot do what it is for; `data["detail"]` says why, in words of its own."""

    code = "step_failed"


class DatasetUnreadableError(StepError):
    """A row cannot be read: `data["file"]`, `data["line"]` (from 1), `data["detail"]`."""

    code = "dataset_unreadable"


class CommandFailedError(StepError):
    """A command ended badly: `data["command"]`, `data["status"]`, its last words in `detail`."""

    code = "command_failed"
