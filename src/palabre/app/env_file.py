"""Files of variables, for programs that Palabre starts."""

from pathlib import Path

from palabre.kernel.errors import SetupError

MAX_ENV_FILE_BYTES = 64 * 1024


class EnvFileError(SetupError):
    """The file of variables for an MCP server cannot be used: `data["path"]`, `data["detail"]`."""

    code = "env_file"


def read_variables(path: Path) -> dict[str, str]:
    """Return the variables of a file of `NAME=value` lines; empty lines and `#` are left out.

    Raises:
        EnvFileError: It cannot be read, or a line is none of these.
    """
    try:
        with path.open(encoding="utf-8") as file:
            lines = file.read(MAX_ENV_FILE_BYTES).splitlines()
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or "UTF-8 ?"
        raise EnvFileError(path=str(path), detail=detail) from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, equals, value = line.strip().partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or not name.strip().isidentifier():
            raise EnvFileError(path=str(path), detail=f"{number}: NAME=value ?")
        found[name.strip()] = value.strip()
    return found
