import pytest

from palabre.core.telemetry.checkup import State
from palabre.features.doctor.web import CHECK
from palabre.testing.surroundings import GivenSurroundings

NONE = {"web.searxng_url": "", "web.search_api_base": ""}


@pytest.mark.parametrize("key", ["web.searxng_url", "web.search_api_base"])
async def test_a_configured_service_that_does_not_answer_is_a_warning(key: str) -> None:
    only = {**NONE, key: "http://s"}
    machine = GivenSurroundings({"answers": State(ok=False, detail="no")}, only)
    assert (await CHECK.run(machine)).level == "warning"
    assert machine.asked["answers"] == "http://s"
    assert (await CHECK.run(GivenSurroundings(settings=only))).level == "good"


@pytest.mark.parametrize(
    ("search", "code"), [("configured", "doctor.web.off"), ("duckduckgo", "doctor.web.public")]
)
async def test_without_one_nobody_is_asked(search: str, code: str) -> None:
    machine = GivenSurroundings(settings={**NONE, "web.search": search})
    finding = await CHECK.run(machine)
    assert (finding.level, finding.found.code, machine.asked) == ("good", code, {})
