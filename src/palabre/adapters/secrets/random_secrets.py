"""What nobody can guess, from the operating system."""

import secrets

SESSION_ID_BYTES = 32


class RandomSecrets:
    """`Secrets` from the system's source of chance."""

    def session_id(self) -> str:
        return secrets.token_hex(SESSION_ID_BYTES)
