from datetime import UTC, datetime

from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.history.model import NewLine
from palabre.core.history.service import History
from palabre.core.personas.model import Cast
from palabre.surfaces.admin.exports import ExportRoute, attachment
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock
from palabre.testing.history import MemoryHistoryStore
from palabre.testing.personas import a_persona


async def test_a_page_is_sent_as_a_file_of_its_channel() -> None:
    clock = FrozenClock()
    at = datetime(2026, 3, 20, 10, tzinfo=UTC)
    line = NewLine(at, "#lab", "Batty", "message", "du labo", 7)
    history = History(MemoryHistoryStore(line), MemoryLedger(clock), clock)
    cast = Cast((a_persona("Batty", color="#ef5350"),))
    route = ExportRoute(history, lambda: cast, "en", await gate_for_all())
    async with asking(route.router(), Role.VIEWER) as client:
        lab = await client.get("/api/v2/export/html?channel=lab")
        general = await client.get("/api/v2/export/html")
        wrong = await client.get("/api/v2/export/html?until=2026-13-01")
    assert "du labo" in lab.text and "--c:#ef5350" in lab.text
    assert lab.headers["content-disposition"] == 'attachment; filename="kxkm-export-lab.html"'
    assert "Nothing is kept of this channel." in general.text
    assert wrong.status_code == 400


def test_no_name_of_a_channel_breaks_out_of_the_header() -> None:
    header = attachment('#a"; x="\r\n\ud83d')
    assert header.isascii() and "\r" not in header and header.count('"') == 2
    assert header.startswith('attachment; filename="kxkm-export-a___x_____.html"; filename*=')
