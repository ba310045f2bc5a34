"""What a worker gives up before it looks at a hostile file."""

import ctypes
import os
import resource
import signal
import sys

from palabre.adapters.media.job import Limits

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_OPEN_FILES = 64


def confine(parent: int) -> None:
    """Die with the process *parent*; write no file, keep no core, reach no network.

    The network is taken away where the kernel lets us: to root, and to others where they may make
    user namespaces.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if library.unshare(_CLONE_NEWNET):
            library.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    if os.getppid() != parent:
        os._exit(1)


def limit(limits: Limits) -> None:
    """Let the kernel hold *limits*: memory is refused beyond them, computing ends the process."""
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
