"""Surroundings of which each thing is as the test says."""

from dataclasses import dataclass, field

from palabre.core.telemetry.checkup import State


@dataclass(slots=True)
class GivenSurroundings:
    """Answers every question of a check with what it was given; all is well by default."""

    states: dict[str, State] = field(default_factory=dict)
    provider: str = "auto"
    uses_embedded: bool = True

    async def data_dir(self) -> State:
        return self._state("data_dir")

    async def port(self) -> State:
        return self._state("port")

    async def ollama(self) -> State:
        return self._state("ollama")

    async def weights(self) -> State:
        return self._state("weights")

    async def personas(self) -> State:
        return self._state("personas")

    def _state(self, name: str) -> State:
        return self.states.get(name, State(ok=True, detail=name))
