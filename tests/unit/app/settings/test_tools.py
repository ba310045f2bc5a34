from pathlib import Path

import pytest

from palabre.app.settings import Settings, SettingsError, load_settings
from palabre.texts import say


def load(folder: Path, source: str) -> Settings:
    file = folder / "palabre.toml"
    file.write_text(source, encoding="utf-8")
    return load_settings(config=file, environ={}, cwd=folder).settings


def refusal(folder: Path, source: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(folder, source)
    return say(caught.value.text, "en")


def test_a_source_is_a_program_or_an_address(tmp_path: Path) -> None:
    assert "give either command or url" in refusal(tmp_path, "[tools.mcp.x]\ntimeout_s = 3")
    both = '[tools.mcp.x]\ncommand = "a"\nurl = "https://a.example/mcp"'
    assert "give either command or url" in refusal(tmp_path, both)
    sources = load(tmp_path, '[tools.mcp.x]\ncommand = "a"\nargs = ["-v", "b c"]').tools.mcp
    assert sources["x"].args == ("-v", "b c")


@pytest.mark.parametrize(
    "url", ["https://a.example/mcp", "http://127.0.0.1:9/mcp", "http://localhost/", "http://[::1]/"]
)
def test_tls_or_this_machine_need_no_permission(tmp_path: Path, url: str) -> None:
    assert load(tmp_path, f'[tools.mcp.x]\nurl = "{url}"').tools.mcp["x"].url == url.rstrip("/")


def test_plain_text_over_the_network_needs_one(tmp_path: Path) -> None:
    source = '[tools.mcp.x]\nurl = "http://a.example:81/mcp"'
    assert "tools.allowed_origins hold http://a.example:81" in refusal(tmp_path, source)
    allowed = f'[tools]\nallowed_origins = ["http://a.example:81"]\n{source}'
    assert load(tmp_path, allowed).tools.mcp["x"].url == "http://a.example:81/mcp"


def test_a_token_is_not_written_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret\n", encoding="utf-8")
    source = '[tools.mcp.x]\nurl = "https://a.example/"\n'
    assert "token" in refusal(tmp_path, f'{source}token = "s3cret"')
    token = load(tmp_path, f'{source}token_file = "key"').tools.mcp["x"].token
    assert token is not None
    assert token.get_secret_value() == "s3cret"


def test_the_variables_of_the_existing_program_name_the_searches(tmp_path: Path) -> None:
    environ = {"SEARXNG_URL": "http://127.0.0.1:8080/", "WEB_SEARCH_API_BASE": "https://a.example"}
    loaded = load_settings(environ=environ, cwd=tmp_path)
    web = loaded.settings.web
    assert (web.searxng_url, web.search_api_base) == ("http://127.0.0.1:8080", "https://a.example")
    assert (web.search, loaded.unused) == ("configured", ())
