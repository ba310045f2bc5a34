"""Programs that talk to a running house with a key, by the official clients."""

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import Scope


async def key_for(place, *scopes: Scope, name: str = "program") -> str:
    """Return a new key of the house *place*; without *scopes* it opens everything."""
    keys = place.app.api_keys
    new = await keys.create(THE_MACHINE, name, scopes or tuple(Scope))
    return new.secret
