"""This machine and these settings, as the checks of `palabre doctor` see them."""

import asyncio
import os
import socket
from pathlib import Path

from palabre.app.models import ollama_provider, weight_store
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.models.model import AUTO, EMBEDDED
from palabre.core.personas.errors import PersonaFilesError
from palabre.core.telemetry.checkup import State
from palabre.texts import say


class ThisMachine:
    """Looks, and changes nothing."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def provider(self) -> str:
        return self._settings.models.provider

    @property
    def uses_embedded(self) -> bool:
        models = self._settings.models
        return models.embedded.enabled and models.provider in {AUTO, EMBEDDED}

    async def data_dir(self) -> State:
        """Say whether the data dir, or the folder it would be made in, can be written."""
        return await asyncio.to_thread(_written_in, self._settings.data_dir)

    async def port(self) -> State:
        """Say whether the server's address can be listened on."""
        server = self._settings.server
        address = f"{server.host}:{server.port}"
        reason = await asyncio.to_thread(_why_not_bound, server.host, server.port)
        return State(not reason, f"{address} ({reason})" if reason else address)

    async def ollama(self) -> State:
        """Say whether Ollama answers."""
        provider = ollama_provider(self._settings)
        try:
            health = await provider.health()
        finally:
            await provider.aclose()
        words = say(health.detail, self._settings.language)
        return State(health.ok, f"{self._settings.models.ollama.url} ({words})")

    async def weights(self) -> State:
        """Say whether any weights that we know, or the user's own, are here."""
        return await asyncio.to_thread(_weights_here, self._settings)

    async def personas(self) -> State:
        """Say whether all personas can be read."""
        try:
            cast = await library_for(self._settings).load()
        except PersonaFilesError as error:
            return State(ok=False, detail=str(len(error.problems)))
        return State(bool(cast.personas), str(len(cast.personas)))


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
    here = [weights.name for weights in store.own() or store.known() if store.has(weights)]
    return State(bool(here), ", ".join(here))
