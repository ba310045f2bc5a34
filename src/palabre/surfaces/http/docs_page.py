"""`/docs`: a page that shows `/openapi.json`; it fetches nothing from elsewhere."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.staticfiles import StaticFiles
from starlette.responses import FileResponse

FOLDER = Path(__file__).parent / "docs"


def docs_router() -> APIRouter:
    """Return the routes of the page and of its parts."""
    router = APIRouter()
    router.add_api_route("/docs", _page, methods=["GET"], include_in_schema=False)
    router.mount("/docs/parts", StaticFiles(directory=FOLDER), name="docs")
    return router


async def _page() -> FileResponse:
    return FileResponse(FOLDER / "index.html")
