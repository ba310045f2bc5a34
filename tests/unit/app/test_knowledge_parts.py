from pathlib import Path

from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import DATABASE_NAME
from palabre.app.knowledge_parts import opened_service
from palabre.app.models import opened_registry
from palabre.app.settings import Settings


async def test_an_exam_has_a_database_of_its_own(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    async with (
        opened_registry(settings) as models,
        opened_service(settings, models, SystemClock(), SystemIds(), tmp_path / "exam") as service,
    ):
        assert await service.count_documents() == 0
    assert (tmp_path / "exam" / DATABASE_NAME).exists()
    assert not (tmp_path / "data").exists()
