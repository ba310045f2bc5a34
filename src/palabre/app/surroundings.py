"""This machine and these settings, as the checks of `palabre doctor` see them."""

import asyncio
import os
import socket
from functools import reduce
from pathlib import Path

import httpx2

from palabre.adapters.models.upstream import HEALTH_TIMEOUT_S, client, words_or_kind
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import DATABASE_NAME, no_documents, opened_knowledge, told
from palabre.app.listening import web_address
from palabre.app.models import opened_registry, weight_store
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.speech import ears_here, speakers_here
from palabre.core.personas.errors import PersonaFilesError
from palabre.core.telemetry.checkup import State, Value
from palabre.kernel.errors import PalabreError
from palabre.texts import say


class ThisMachine:
    """Looks, and changes nothing."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def setting(self, key: str) -> Value:
        """Return the value of *key*, as the checks ask."""
        value: object = reduce(getattr, key.split("."), self._settings)
        return value if value is None or isinstance(value, str | int | float) else str(value)

    async def can_write(self, folder: str) -> State:
        """Say whether *folder*, or the one it would be made in, can be written."""
        return await asyncio.to_thread(_written_in, Path(folder))

    async def can_listen(self, address: str) -> State:
        """Say whether *address* can be listened on."""
        host, _, port = address.rpartition(":")
        reason = await asyncio.to_thread(_why_not_bound, host, int(port))
        return State(not reason, f"{address} ({reason})" if reason else address)

    async def is_palabre(self, address: str) -> State:
        """Say whether it is Palabre that answers at *address*, within two seconds."""
        host, _, port = address.rpartition(":")
        url = web_address(host, int(port))
        try:
            async with asyncio.timeout(HEALTH_TIMEOUT_S), client(url) as http:
                answer = await http.get("/healthz")
                return State(answer.json() == {"ok": True}, url)
        except (TimeoutError, httpx2.HTTPError, ValueError):
            return State(ok=False, detail=url)

    async def answers(self, url: str) -> State:
        """Say whether a server answers at *url*, within two seconds."""
        try:
            async with asyncio.timeout(HEALTH_TIMEOUT_S), client(url) as http:
                await http.get("")
        except (TimeoutError, httpx2.HTTPError) as error:
            return State(ok=False, detail=f"{url} ({words_or_kind(error)})")
        return State(ok=True, detail=url)

    async def weights(self) -> State:
        """Say whether any weights that we know, or the user's own, are here."""
        return await asyncio.to_thread(_weights_here, self._settings)

    async def voices(self) -> State:
        """Say which engines or servers could speak."""
        here = await asyncio.to_thread(speakers_here, self._settings)
        return State(bool(here), ", ".join(here))

    async def ears(self) -> State:
        """Say what could listen."""
        here = await asyncio.to_thread(ears_here, self._settings)
        return State(bool(here), here)

    async def personas(self) -> State:
        """Say whether all personas can be read."""
        try:
            cast = await library_for(self._settings).load()
        except PersonaFilesError as error:
            return State(ok=False, detail=str(len(error.problems)))
        if cast.problems:
            return State(ok=False, detail=str(len(cast.problems)))
        return State(bool(cast.personas), str(len(cast.personas)))

    async def knowledge(self) -> State:
        """Say how the documents stand; a database that is not there yet is not made."""
        settings = self._settings
        is_ours = settings.storage.database_url is None
        if is_ours and not (settings.data_dir / DATABASE_NAME).exists():
            return State(ok=True, detail=no_documents(settings))
        try:
            async with (
                opened_registry(settings) as registry,
                opened_knowledge(settings, registry, SystemClock(), SystemIds()) as service,
            ):
                return await told(service, settings)
        except PalabreError as error:
            return State(ok=False, detail=say(error.text, settings.language))


def _written_in(folder: Path) -> State:
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        return State(ok=False, detail=str(there))
    if not os.statvfs(there).f_bavail:
        return State(ok=False, detail=f"{there} (full)")
    return State(ok=True, detail=str(folder))


def _why_not_bound(host: str, port: int) -> str:
    """Return why nobody can listen there; nothing when one can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _weights_here(settings: Settings) -> State:
    store = weight_store(settings)
    here = [weights.name for weights in store.own() or store.known("chat") if store.has(weights)]
    return State(bool(here), ", ".join(here))
