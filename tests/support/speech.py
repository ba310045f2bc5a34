"""Real weights that speak or listen: in the cache that the whole program uses, fetched once."""

import subprocess
from pathlib import Path

from tests.support.peers import PALABRE

from palabre.app.models import weight_store
from palabre.app.settings import load_settings

SHARED = Path(__file__).parents[2] / "content" / "voices"
"""Voices that come along."""


def weights(name: str) -> Path:
    """Return where the weights *name* lie."""
    store = weight_store(load_settings().settings)
    (found,) = store.find(name)
    if not store.has(found):
        subprocess.run([PALABRE, "model", "pull", name], check=True, capture_output=True)
    return store.path(found)
