from fastapi import FastAPI
from starlette.testclient import TestClient

from palabre.surfaces.http.docs_page import FOLDER, docs_router


def test_the_page_and_its_parts_are_served_and_not_described() -> None:
    http = FastAPI(docs_url=None)
    http.include_router(docs_router())
    client = TestClient(http)
    assert "docs/parts/docs.js" in client.get("/docs").text
    for part in FOLDER.iterdir():
        assert client.get(f"/docs/parts/{part.name}").status_code == 200
    assert client.get("/docs/parts/../docs_page.py").status_code == 404
    assert "/docs" not in http.openapi()["paths"]
