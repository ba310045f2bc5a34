"""Surroundings of which each thing is as the test says."""

from dataclasses import dataclass, field

from palabre.core.telemetry.checkup import State, Value

DEFAULTS: dict[str, Value] = {
    "data_dir": "data",
    "media.comfyui_url": "http://comfyui",
    "models.embedded.enabled": True,
    "models.ollama.url": "http://ollama",
    "models.provider": "auto",
    "server.host": "127.0.0.1",
    "server.port": 3333,
    "speech.enabled": True,
    "web.search": "configured",
    "web.search_api_base": "",
    "web.searxng_url": "http://searxng",
}


@dataclass(slots=True)
class GivenSurroundings:
    """Answers what it was given, by the name of the question; all is well by default.

    Attributes:
        states: Answers by question, such as `can_write`.
        settings: Values of keys, where they are not those of `DEFAULTS`.
        asked: What each question was asked about, last.
    """

    states: dict[str, State] = field(default_factory=dict)
    settings: dict[str, Value] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)

    def setting(self, key: str) -> Value:
        return {**DEFAULTS, **self.settings}[key]

    async def can_write(self, folder: str) -> State:
        return self._state("can_write", folder)

    async def can_listen(self, address: str) -> State:
        return self._state("can_listen", address)

    async def is_palabre(self, address: str) -> State:
        return self._state("is_palabre", address)

    async def answers(self, url: str) -> State:
        return self._state("answers", url)

    async def weights(self) -> State:
        return self._state("weights")

    async def voices(self) -> State:
        return self._state("voices")

    async def ears(self) -> State:
        return self._state("ears")

    async def personas(self) -> State:
        return self._state("personas")

    async def knowledge(self) -> State:
        return self._state("knowledge")

    def _state(self, question: str, about: str = "") -> State:
        self.asked[question] = about
        return self.states.get(question, State(ok=True, detail=about or question))
