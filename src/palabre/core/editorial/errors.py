"""What can be wrong with what editors ask."""

from palabre.kernel.errors import UpstreamError, UserError


class PersonaNotFoundError(UserError):
    """There is no persona of that id or name: `data["persona"]`."""

    code = "persona_not_found"


class ProposalNotFoundError(UserError):
    """There is no such proposal, or no step is left to go back: `data["persona"]`."""

    code = "proposal_not_found"


class SampleNotFoundError(UserError):
    """The persona `data["persona"]` has no recording to sound like."""

    code = "sample_not_found"


class ReplyNotFoundError(UserError):
    """The answer is no longer known here: whoever has no session cannot vote on it."""

    code = "reply_not_found"


class InvalidPersonaNameError(UserError):
    """No name for a room: `data["name"]`; `data["limit"]` is its longest."""

    code = "invalid_persona_name"


class PersonaNameTakenError(UserError):
    """Somebody is called that, or looks like it: `data["name"]`, `data["other"]`."""

    code = "persona_name_taken"


class PersonaOfFileError(UserError):
    """The persona `data["persona"]` has a file, or had one: it cannot be deleted here."""

    code = "persona_of_file"


class FeedbackNotFoundError(UserError):
    """Whoever asks has no such opinion on that answer."""

    code = "feedback_not_found"


class ProposalAppliedError(UserError):
    """That proposal was applied already: `data["proposal"]`."""

    code = "proposal_applied"


class SampleTooLargeError(UserError):
    """A recording of more than `data["limit_mb"]` MB."""

    code = "file_too_large"


class SampleUnfitError(UserError):
    """No recording to sound like; `data["detail"]` says why, `data["least_s"]` what it needs."""

    code = "sample_unfit"


class SampleNameSharedError(UserError):
    """The recording of `data["other"]` has the same file name: `data["file"]`."""

    code = "sample_name_shared"


class FeedbackTooFastError(UserError):
    """More than `data["limit"]` in `data["window_s"]` seconds."""

    code = "feedback_too_fast"


class DraftUnusableError(UpstreamError):
    """What the model wrote is no description; `data["service"]` is the model."""

    code = "draft_unusable"
