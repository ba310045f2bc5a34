"""llama.cpp's own server, in a process of its own that does not outlive its parent.

Run as `python -m palabre.adapters.models.llama_server <parent's process id>`. The first line of
standard input is the options as JSON; the answer is one line of JSON on standard output, once
the model is loaded: `{"url": "http://127.0.0.1:…"}` or `{"error": "…"}`. It ends when standard
input does, and on Linux also when the parent is killed in the middle of loading.
"""

import ctypes
import json
import os
import signal
import sys
import threading
from typing import TypedDict

PR_SET_PDEATHSIG = 1
PROMPT_CACHE_MIB = 512
"""Prompts of other personas that are kept to go on from; llama.cpp's own limit is 8 GiB."""


class Options(TypedDict):
    """What the parent wants."""

    model: str
    alias: str
    api_key: str
    threads: int
    context_tokens: int


def main() -> None:
    """Serve until the parent goes."""
    _die_with(int(sys.argv[1]))
    answer = _private_stdout()
    options: Options = json.loads(sys.stdin.buffer.readline())
    try:
        server, url = _serve(options)
    except (ImportError, RuntimeError, ValueError, OSError) as error:
        _tell(answer, {"error": str(error)})
        sys.exit(1)
    _tell(answer, {"url": url})
    watch = threading.Thread(target=_exit_at_end_of_input)
    watch.start()
    watch.join()
    del server


def _serve(options: Options) -> tuple[object, str]:
    import xllamacpp  # noqa: PLC0415 - its absence is one of our answers

    params = xllamacpp.CommonParams()
    params.model.path = options["model"]
    params.model_alias = {options["alias"]}
    params.api_keys = [options["api_key"]]
    params.port = 0
    params.n_parallel = 1
    params.n_ctx = options["context_tokens"]
    params.cpuparams.n_threads = options["threads"]
    params.cpuparams_batch.n_threads = options["threads"]
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    return server, server.listening_address


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _private_stdout() -> int:
    """Keep standard output for our answer: whatever else is printed goes to standard error."""
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _tell(descriptor: int, answer: dict[str, str]) -> None:
    os.write(descriptor, json.dumps(answer).encode() + b"\n")


def _exit_at_end_of_input() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
