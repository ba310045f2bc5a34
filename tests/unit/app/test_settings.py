"""Settings: three layers, one answer, every mistake at once."""

from pathlib import Path

import pytest

from palabre.app.settings import LoadedSettings, Origin, Settings, SettingsError, load_settings
from palabre.core.knowledge.service import KnowledgeRules
from palabre.texts import say


def load(
    folder: Path, toml: str = "", environ: dict[str, str] | None = None, **cli: object
) -> LoadedSettings:
    file = folder / "palabre.toml"
    file.write_text(toml, encoding="utf-8")
    options = {name.replace("__", "."): value for name, value in cli.items()}
    return load_settings(cli=options, config=file, environ=environ or {}, cwd=folder)


def mistakes(folder: Path, toml: str = "", environ: dict[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load(folder, toml, environ)
    return say(caught.value.text, "en")


def test_defaults_listen_on_loopback_alone() -> None:
    settings = Settings()
    assert settings.server.host == "127.0.0.1"
    assert settings.server.port == 3333
    assert settings.models.ollama.max_concurrent == 3


def test_defaults_read_no_variable_of_the_process() -> None:
    assert Settings().models.ollama.url == "http://127.0.0.1:11434"


def test_the_command_line_wins_over_a_variable_and_that_over_the_file(tmp_path: Path) -> None:
    toml = '[server]\nport = 1\nhost = "127.0.0.2"\n[rooms]\nmax_responders = 5\n'
    variables = {"PALABRE_SERVER__PORT": "2", "PALABRE_SERVER__HOST": "127.0.0.3"}
    loaded = load(tmp_path, toml, variables, server__port=3)
    assert loaded.settings.server.port == 3
    assert loaded.settings.server.host == "127.0.0.3"
    assert loaded.settings.rooms.max_responders == 5


def test_each_value_says_where_it_came_from(tmp_path: Path) -> None:
    toml = "[rooms]\nmax_responders = 5\n"
    loaded = load(tmp_path, toml, {"OLLAMA_URL": "http://there:1"}, server__port=3)
    file = tmp_path / "palabre.toml"
    assert loaded.origin(("rooms", "max_responders")) == Origin(
        "file", f"{file}: rooms.max_responders"
    )
    assert loaded.origin(("models", "ollama", "url")) == Origin("environment", "OLLAMA_URL")
    assert loaded.origin(("server", "port")) == Origin("cli", "--port")
    assert loaded.origin(("server", "host")) == Origin("default")


def test_an_option_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, server__port=None).settings.server.port == 3333


@pytest.mark.parametrize(
    ("variable", "value", "section", "key", "expected"),
    [
        ("OLLAMA_URL", "http://gpu:11434/", "ollama", "url", "http://gpu:11434"),
        ("MAX_OLLAMA_CONCURRENT", "7", "ollama", "max_concurrent", 7),
    ],
)
def test_the_variables_of_the_existing_program_still_work(
    tmp_path: Path, variable: str, value: str, section: str, key: str, expected: object
) -> None:
    settings = load(tmp_path, environ={variable: value}).settings
    assert getattr(getattr(settings.models, section), key) == expected


def test_our_own_variable_wins_over_the_other_name(tmp_path: Path) -> None:
    variables = {"PALABRE_MODELS__OLLAMA__URL": "http://ours:1", "OLLAMA_URL": "http://other:1"}
    assert load(tmp_path, environ=variables).settings.models.ollama.url == "http://ours:1"


def test_the_variables_of_documents_are_taken_and_an_explicit_zero_is_a_zero(
    tmp_path: Path,
) -> None:
    variables = {
        "RAG_CHUNK_SIZE": "300",
        "RAG_MAX_RESULTS": "0",
        "RAG_MIN_SIMILARITY": "0",
        "RAG_EMBEDDING_MODEL": "bge-m3",
    }
    knowledge = load(tmp_path, environ=variables).settings.knowledge
    assert (knowledge.embedder, knowledge.rules) == ("bge-m3", KnowledgeRules(300, 0, 0.0))
    told = mistakes(tmp_path, "", {"RAG_CHUNK_SIZE": "0"})
    assert "RAG_CHUNK_SIZE" in told
    assert ">= 100" in told


def test_known_variables_that_change_nothing_are_reported(tmp_path: Path) -> None:
    variables = {"OPENAI_API_KEY": "x", "NODE_ENGINE_RUNTIME": "x", "HOME": "/h"}
    assert load(tmp_path, environ=variables).unused == ("NODE_ENGINE_RUNTIME", "OPENAI_API_KEY")


def test_every_mistake_is_reported_at_once(tmp_path: Path) -> None:
    toml = '[rooms]\nmax_responders = 9\nchain_dept = 1\n[server]\nport = "many"\n'
    told = mistakes(tmp_path, toml, {"PALABRE_LOGS__LEVEL": "loud"})
    file = tmp_path / "palabre.toml"
    assert told.startswith("4 mistake(s)")
    assert f"{file}: rooms.max_responders - 9 is out of range: it must be <= 5." in told
    assert f"{file}: rooms.chain_dept - unknown key. Did you mean rooms.chain_depth?" in told
    assert f"{file}: server.port - 'many' is not a whole number." in told
    assert "PALABRE_LOGS__LEVEL - 'loud' is not one of the choices: 'debug'" in told


@pytest.mark.parametrize(
    ("toml", "nearest"),
    [
        ("[servr]\nport = 1\n", "Did you mean server?"),
        ("port = 1\n", "Did you mean server.port?"),
        ("[models.ollama]\nurll = 'http://x'\n", "Did you mean models.ollama.url?"),
        (
            "[models.openai.lab]\nbase_url = 'http://x'\nbase_ur = 'http://x'\n",
            "Did you mean models.openai.lab.base_url?",
        ),
        ("[zzz]\nqqq = 1\n", "`palabre config show` shows all keys"),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(
    tmp_path: Path, toml: str, nearest: str
) -> None:
    assert nearest in mistakes(tmp_path, toml)


def test_an_unknown_variable_is_a_mistake_in_the_words_of_variables(tmp_path: Path) -> None:
    told = mistakes(tmp_path, environ={"PALABRE_SERVER__PROT": "1"})
    assert "PALABRE_SERVER__PROT - unknown key. Did you mean PALABRE_SERVER__PORT?" in told


def test_a_broken_file_names_the_line_and_the_variables_are_checked_too(tmp_path: Path) -> None:
    told = mistakes(tmp_path, "[server]\nport = \n", {"PALABRE_SERVER__PORT": "x"})
    assert "line 2" in told
    assert "PALABRE_SERVER__PORT" in told


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environ={"PALABRE_CONFIG": "absent.toml"}, cwd=tmp_path)
    assert "absent.toml" in say(caught.value.text, "en")


def test_a_file_that_is_not_utf8_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_bytes(b'language = "\xff"')
    with pytest.raises(SettingsError) as caught:
        load_settings(config=file, environ={}, cwd=tmp_path)
    assert "not UTF-8" in say(caught.value.text, "en")


def test_the_file_beside_us_is_found(tmp_path: Path) -> None:
    (tmp_path / "palabre.toml").write_text("[server]\nport = 4444\n")
    assert load_settings(environ={}, cwd=tmp_path).settings.server.port == 4444


def test_the_option_names_the_file_before_the_variable(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[server]\nport = 1\n")
    loaded = load_settings(
        config=Path("a.toml"), environ={"PALABRE_CONFIG": "b.toml"}, cwd=tmp_path
    )
    assert loaded.file == tmp_path / "a.toml"


def test_relative_paths_of_the_file_start_at_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "palabre.toml").write_text('data_dir = "data"\n')
    loaded = load_settings(config=folder / "palabre.toml", environ={}, cwd=tmp_path)
    assert loaded.settings.data_dir == folder / "data"


def test_relative_paths_of_variables_start_here(tmp_path: Path) -> None:
    loaded = load(tmp_path, environ={"PALABRE_DATA_DIR": "data"})
    assert loaded.settings.data_dir == tmp_path / "data"


def test_a_secret_is_read_from_the_file_it_names(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret\n")
    toml = '[models.openai.lab]\nbase_url = "http://x/v1"\napi_key_file = "key"\n'
    key = load(tmp_path, toml).settings.models.openai["lab"].api_key
    assert key is not None
    assert key.get_secret_value() == "s3cret"


def test_a_secret_is_read_from_the_file_that_a_variable_names(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://u:p@h/d\n")
    loaded = load(tmp_path, environ={"DATABASE_URL_FILE": "url"})
    secret = loaded.settings.storage.database_url
    assert secret is not None
    assert secret.get_secret_value() == "postgresql://u:p@h/d"


def test_a_secret_in_the_settings_file_is_refused_without_repeating_it(tmp_path: Path) -> None:
    told = mistakes(tmp_path, '[models.openai.lab]\nbase_url = "http://x"\napi_key = "s3cret"\n')
    assert "api_key_file" in told
    assert "PALABRE_MODELS__OPENAI__LAB__API_KEY" in told
    assert "s3cret" not in told


def test_a_secret_file_that_is_absent_is_a_mistake(tmp_path: Path) -> None:
    assert "cannot read" in mistakes(tmp_path, environ={"DATABASE_URL_FILE": "absent"})


def test_lists_in_variables_are_separated_by_commas(tmp_path: Path) -> None:
    variables = {"PALABRE_ROOMS__ALLOWED_ORIGINS": "https://a.example, http://b.example:8080"}
    origins = load(tmp_path, environ=variables).settings.rooms.allowed_origins
    assert origins == ("https://a.example", "http://b.example:8080")


@pytest.mark.parametrize(
    "toml",
    [
        '[rooms]\nallowed_origins = ["https://a.example/path"]\n',
        '[rooms]\nallowed_origins = ["ftp://a.example"]\n',
        '[server]\ntrusted_proxies = ["everyone"]\n',
        '[models.ollama]\nurl = "localhost:11434"\n',
        '[models.ollama]\nkeep_alive = "always"\n',
        '[models]\nprovider = "lab"\n',
        '[models.openai.ollama]\nbase_url = "http://x"\n',
        "[models.openai.lab]\n",
        '[rooms]\ndefault_channel = "general"\n',
        "server = 3\n",
    ],
)
def test_values_that_cannot_work_are_refused_with_their_key(tmp_path: Path, toml: str) -> None:
    section = toml.split("]", maxsplit=1)[0].strip("[").split(" ")[0]
    told = mistakes(tmp_path, toml)
    assert told.startswith("1 mistake(s)")
    assert section in told


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:abc",
        "http://\N{FULLWIDTH DIGIT ONE}27.0.0.1",
        "http://h:99999",
        "http://h:-1",
        "http://h:0",
        "http://exa mple",
        "http://*",
        "http://%00",
        "http://a..b",
        "http://h/\x01",
        "http://[::1",
    ],
)
def test_an_address_that_nobody_can_have_is_refused(tmp_path: Path, address: str) -> None:
    told = mistakes(tmp_path, environ={"OLLAMA_URL": address})
    assert told.startswith("1 mistake(s)")
    assert "OLLAMA_URL" in told
    assert "must look like http://host:port" in told


@pytest.mark.parametrize("address", ["http://[::1]:3", "https://müller.example", "http://h/v1"])
def test_an_address_that_somebody_can_have_is_taken(tmp_path: Path, address: str) -> None:
    assert load(tmp_path, environ={"OLLAMA_URL": address}).settings.models.ollama.url == address


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("~nosuchuser/x", "there is no such user"),
        ("a" * 300, "a name in it is longer than 255 bytes"),
        ("a/" * 3000, "it is longer than 4000 bytes"),
        ("a\0b", "no path holds a NUL character"),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, path: str, reason: str, kind: type[str | Path]
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, data_dir=kind(path))
    told = say(caught.value.text, "en")
    assert "--data-dir" in told
    assert reason in told


@pytest.mark.parametrize("path", ["~nosuchuser/x", "a" * 300, "a\0b"])
def test_files_that_cannot_be_are_mistakes(tmp_path: Path, path: str) -> None:
    assert "cannot read" in mistakes(tmp_path, environ={"DATABASE_URL_FILE": path})
    with pytest.raises(SettingsError, match="settings_invalid"):
        load_settings(config=Path(path), environ={}, cwd=tmp_path)


@pytest.mark.parametrize(
    "toml",
    ["a = " + "[" * 5000, "a = " + "9" * 5000, ".".join("a" * 5000) + " = 1"],
    ids=["arrays", "digits", "tables"],
)
def test_a_file_that_python_cannot_hold_is_a_mistake(tmp_path: Path, toml: str) -> None:
    assert "this is not valid TOML" in mistakes(tmp_path, toml)


def test_a_named_server_can_be_the_provider(tmp_path: Path) -> None:
    toml = '[models]\nprovider = "lab"\n[models.openai.lab]\nbase_url = "http://x/v1"\n'
    assert load(tmp_path, toml).settings.models.provider == "lab"


def test_mistakes_are_told_in_the_language_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, 'language = "en"\nzzz = 1\n')
    assert caught.value.language == "en"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback_may_be_open(tmp_path: Path, host: str) -> None:
    load(tmp_path, server__host=host).check_start()


EVERYWHERE = "0.0.0.0"  # noqa: S104 - what the program must refuse


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "192.168.1.5", "example.org"])
def test_off_loopback_an_open_room_does_not_start(tmp_path: Path, host: str) -> None:
    loaded = load(tmp_path, server__host=host)
    with pytest.raises(SettingsError, match="settings_invalid") as caught:
        loaded.check_start()
    assert "--insecure" in say(caught.value.text, "en")


def test_off_loopback_starts_when_told_that_it_is_insecure(tmp_path: Path) -> None:
    load(tmp_path, server__host=EVERYWHERE, server__insecure=True).check_start()


@pytest.mark.parametrize("host", ["127.0.0.1", EVERYWHERE])
def test_with_sessions_the_rooms_may_be_reached_from_elsewhere(tmp_path: Path, host: str) -> None:
    load(tmp_path, '[auth]\nrooms = "session"\n', server__host=host).check_start()


def test_production_without_a_database_does_not_start(tmp_path: Path) -> None:
    loaded = load(tmp_path, environ={"PALABRE_ENV": "production"})
    with pytest.raises(SettingsError) as caught:
        loaded.check_start()
    assert say(caught.value.text, "en").splitlines()[1:] == [
        "PALABRE_ENV - production keeps what is said in a PostgreSQL, and no address of one is set. "
        "Set DATABASE_URL=postgresql://user@host/database, or PALABRE_ENV=development to keep files "
        "in the data dir."
    ]


@pytest.mark.parametrize("environment", ["development", "production"])
def test_with_a_database_it_starts_everywhere(tmp_path: Path, environment: str) -> None:
    environ = {"DATABASE_URL": "postgresql://h/d", "PALABRE_ENV": environment}
    load(tmp_path, environ=environ).check_start()


@pytest.mark.parametrize(
    ("storage", "label", "in_database", "writes_files"),
    [
        ({}, "files", False, True),
        ({"mirror_files": True}, "files", False, True),
        ({"database_url": "postgresql://h/d"}, "postgres", True, False),
        ({"database_url": "postgresql://h/d", "mirror_files": True}, "postgres", True, True),
    ],
)
def test_files_are_written_without_a_database_or_where_they_mirror_it(
    storage: dict[str, object], label: str, in_database: bool, writes_files: bool
) -> None:
    found = Settings(storage=storage).storage
    assert (found.label, found.in_database, found.writes_files) == (
        label,
        in_database,
        writes_files,
    )


def test_a_secret_is_never_in_the_representation(tmp_path: Path) -> None:
    loaded = load(tmp_path, environ={"DATABASE_URL": "postgresql://u:pass@h/d"})
    assert "pass@" not in repr(loaded)


def test_the_data_dir_is_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    assert settings.create_data_dir().stat().st_mode & 0o777 == 0o700


def test_the_content_that_comes_along_is_found() -> None:
    assert Settings().content_dir.is_dir()


def test_choices_are_told_in_the_users_language(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, '[models.embedded]\ntier = "huge"\n')
    assert ": 'auto', 'tiny' ou 'small'." in say(caught.value.text, "fr")
