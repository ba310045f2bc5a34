"""Where a server of ours waits for its clients."""

import os
import socket

from palabre.kernel.errors import SetupError


class AddressBusyError(SetupError):
    """`data["host"]` and `data["port"]` cannot be listened on; `data["detail"]` says why."""

    code = "address_busy"


def web_address(host: str, port: int) -> str:
    """Return where browsers find a server that listens on *host* and *port*."""
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *host*, at *port* or, with 0, at any free one.

    Raises:
        AddressBusyError: Another program has the port, or the address is not this machine's.
    """
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        # Python adds the address to the system's words, which we say ourselves.
        detail = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise AddressBusyError(host=host, port=port, detail=detail) from error
