"""What is made from the code says what the code says."""

import pytest
from tools.reference import (
    commands_page,
    main,
    metrics_page,
    nodes_page,
    page_texts,
    settings_page,
    states_page,
)

from palabre.app.settings.load import KEYS
from palabre.texts import catalogue


@pytest.mark.parametrize("key", [key.name for key in KEYS.all])
def test_every_key_has_a_row_with_its_meaning(key: str) -> None:
    found = next(each for each in KEYS.all if each.name == key)
    assert found.field.description
    assert f"| `{found.path[-1]}` |" in settings_page()
    assert found.field.description in settings_page()


def test_limits_and_choices_are_told() -> None:
    page = settings_page()
    assert "At least 1, at most 5." in page
    assert "One of `auto`, `tiny`, `small`." in page


def test_every_command_is_told_in_both_languages() -> None:
    assert "| `/who`: list who is here | `/who`: liste les présents |" in commands_page()


def test_every_metric_is_told_by_the_name_that_prometheus_reads() -> None:
    page = metrics_page()
    assert "| `palabre_frames_dropped_total` | counter |  | Frames dropped unread. |" in page
    assert "| `palabre_loop_lag_max_seconds` | gauge | seconds |" in page


def test_states_are_drawn_and_named_in_both_languages() -> None:
    assert "    running --> waiting: somebody is asked\n" in states_page("en")
    assert "    running --> waiting: question à quelqu'un\n" in states_page("fr")
    assert "| `not_configured` | non configuré |" in states_page("fr")


def test_every_kind_of_node_is_told_with_its_ports_and_parameters() -> None:
    page = nodes_page("en")
    assert "| `dataset_file` File |" in page
    assert "`path *`: Path in the folder of datasets." in page
    assert "(order, content)" in page
    assert "## Sources\n" in page
    assert "## Traitement\n" in nodes_page("fr")


def test_the_page_has_its_own_texts_and_those_of_every_client() -> None:
    module = page_texts("en")
    assert '"state.connected": "connected",' in module
    assert '"channels.join": "Join a channel",' in module
    assert "page." not in module
    assert "Ctrl+Q" not in module


@pytest.mark.parametrize("table", ["page.", "tui."])
def test_no_client_has_a_text_of_its_own_for_what_all_clients_say(table: str) -> None:
    codes = set(catalogue("fr"))
    shared = {code.removeprefix("client.") for code in codes if code.startswith("client.")}
    assert shared
    assert not [code for code in shared if table + code in codes]


def test_what_is_made_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out
