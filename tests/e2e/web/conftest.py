"""A server with a simulated model, and a browser, for the tests of the page."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.e2e.web.browser import Visitors, beside, chromium
from tests.e2e.web.desk import TOKEN, Sessions
from tests.support.lasting_server import Server, simulated_model

SLOW = "Une phrase longue. " * 300
"""A minute and more: whoever looks at it while it grows has the time."""
SCRIPT = f"""
tokens_per_s = 60
first_token_delay_s = 0.1

[[answer]]
when = "longtemps"
text = "{SLOW}"
tokens_per_s = 10

[[answer]]
when = "dangereux"
text = "<img src=x onerror=alert(1)> **gras** [x](javascript:alert(1)) https://example.org/a"

[[answer]]
when = "portrait"
text = "**Pierre Schaeffer**, ingénieur du son : d'abord *écouter*, ensuite nommer."

[[answer]]
when = "Xenakis"
text = "Xenakis calcule des **masses** : il dessine un nuage, puis il en compte les grains."

[[answer]]
text = "D'accord."
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    script = tmp_path_factory.mktemp("model") / "script.toml"
    script.write_text(SCRIPT, encoding="utf-8")
    async with beside(simulated_model(script)) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(model: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    rooms = Server(tmp_path_factory.mktemp("rooms"), model)
    async with beside(rooms.running()) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser_visitors() -> AsyncIterator[Visitors]:
    async with chromium() as browser:
        yield Visitors(browser)


@pytest_asyncio.fixture(loop_scope="module")
async def visitors(browser_visitors: Visitors) -> AsyncIterator[Visitors]:
    yield browser_visitors
    await browser_visitors.leave()


DESK_SCRIPT = """
tokens_per_s = 300
first_token_delay_s = 0

[[answer]]
when = "nouvelle description"
text = '{"summary": "Tu écoutes longtemps, tu réponds en deux phrases, et tu poses une question."}'

[[answer]]
text = "D'accord."
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server whose control room is open to who has the token."""
    home = tmp_path_factory.mktemp("house")
    script = home / "script.toml"
    script.write_text(DESK_SCRIPT, encoding="utf-8")
    async with beside(simulated_model(script)) as model:
        server = Server(home, model, {"PALABRE_AUTH__ADMIN_TOKEN": TOKEN})
        async with beside(server.running()) as running:
            yield running


@pytest.fixture(scope="module")
def sessions(house: Server) -> Sessions:
    return Sessions(house)
