"""Why somebody is not let in."""

from palabre.kernel.errors import UserError


class LoginRefusedError(UserError):
    """The name and the proof do not go together; which of them is wrong is not told."""

    code = "invalid_credentials"


class TooManyLoginsError(UserError):
    """One address tries too often: `data["limit"]` in `data["window_s"]` seconds.

    It may try again in `data["retry_after_s"]` seconds.
    """

    code = "rate_limited"


class LoginsBusyError(UserError):
    """So many passwords are being compared that one more would wait too long.

    It may be tried again in `data["retry_after_s"]` seconds.
    """

    code = "logins_busy"


class SessionRequiredError(UserError):
    """There is no session, or it has ended."""

    code = "session_required"


class PermissionDeniedError(UserError):
    """The session's role may not do that: `data["permission"]`."""

    code = "permission_denied"


class UsernameTakenError(UserError):
    """There is the account `data["username"]`, in whatever case, or one that looks like it."""

    code = "username_taken"


class UsernameOfPersonaError(UserError):
    """It is, or looks like, the name of the persona `data["persona"]`."""

    code = "username_of_persona"


class NoAccountError(UserError):
    """There is no account of that name: `data["username"]`."""

    code = "no_account"


class NoSessionError(UserError):
    """There is no session of that fingerprint, or it has ended."""

    code = "session_not_found"


class InvalidUsernameError(UserError):
    """Not ASCII letters, digits and `_` alone, or more than `data["limit"]` of them."""

    code = "invalid_username"


class PasswordUnfitError(UserError):
    """Not `data["at_least"]` to `data["at_most"]` characters that can be seen."""

    code = "password_unfit"


class SubnetDeniedError(UserError):
    """Administrators come from another network."""

    code = "subnet_denied"
