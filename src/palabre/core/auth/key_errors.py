"""Why a program is not let in, or cannot be given a key."""

from palabre.kernel.errors import UserError


class KeyRequiredError(UserError):
    """The program shows no key."""

    code = "api_key_required"


class KeyRefusedError(UserError):
    """The key is unknown, has ended, or was revoked; which of them is not told."""

    code = "api_key_refused"


class ScopeMissingError(UserError):
    """The key is not for this: it lacks the scope `data["scope"]`."""

    code = "api_scope_missing"


class TooManyRequestsError(UserError):
    """The key asked `data["limit"]` times in a minute; again in `data["retry_after_s"]` s."""

    code = "api_rate_limited"


class TooManyAtOnceError(UserError):
    """`data["limit"]` requests of the key are being answered already."""

    code = "api_too_many_at_once"


class HouseFullError(UserError):
    """`data["limit"]` requests of all programs are being answered already."""

    code = "api_full"


class KeyNameTakenError(UserError):
    """There is a key of that name, in whatever case: `data["name"]`."""

    code = "api_key_name_taken"


class KeyNameUnfitError(UserError):
    """Not 1 to `data["limit"]` characters that can be seen."""

    code = "api_key_name_unfit"


class NoScopesError(UserError):
    """A key without scopes would open nothing; `data["scopes"]` are those that there are."""

    code = "api_key_no_scopes"


class KeyLifeUnfitError(UserError):
    """Not 1 to `data["limit"]` days."""

    code = "api_key_life_unfit"


class NoKeyError(UserError):
    """There is no key of that name or id: `data["name"]`."""

    code = "no_api_key"
