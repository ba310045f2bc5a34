"""An engine for tests: what it is asked to say tells it what to do. See `child_loop`."""

import os
import sys
import time
from pathlib import Path

from palabre.adapters.speech.child_loop import Options, Request, Say, serve

RATE_HZ = 16_000


def prepare(options: Options) -> Say:
    def say(request: Request) -> tuple[bytes, int]:
        words = request["words"]
        if words == "die" or (words == "die once" and _first(Path(options["mark"]))):
            os._exit(3)
        if words == "fail":
            raise ValueError("unknown phoneme")
        if words == "hang":
            time.sleep(60)
        if words == "slow":
            time.sleep(1)
        if words == "noise":
            print("a library prints")  # noqa: T201
            print("and complains", file=sys.stderr)  # noqa: T201
        if words == "nothing":
            return b"", 0
        return words.encode("utf-16-le") * 400, RATE_HZ

    return say


def _first(mark: Path) -> bool:
    if mark.exists():
        return False
    mark.touch()
    return True


if __name__ == "__main__":
    serve(prepare)
