import pytest

from palabre.core.telemetry.checkup import Level, State, Value
from palabre.features.doctor.media import CHECK
from palabre.testing.surroundings import GivenSurroundings


@pytest.mark.parametrize(
    ("url", "answers", "level"),
    [("", False, "good"), ("http://comfyui", True, "good"), ("http://comfyui", False, "warning")],
)
async def test_a_server_matters_only_where_there_is_to_be_one(
    url: Value, answers: bool, level: Level
) -> None:
    machine = GivenSurroundings({"answers": State(ok=answers)}, settings={"media.comfyui_url": url})
    assert (await CHECK.run(machine)).level == level
