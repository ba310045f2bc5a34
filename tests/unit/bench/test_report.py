import json
from pathlib import Path

import pytest
from bench.lag import measure, parse
from bench.machine import Machine
from bench.report import as_markdown, write
from bench.rows import Row

MACHINE = Machine("2026-03-20", "abc1234+", "CPU", 2, 8.0, "Linux 6", "3.11.7", 0.5)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("a", 4.5, "us", 4.5), "pass"),
        (Row("a", 4.6, "us", 4.5), "over"),
        (Row("a", 4.6, "us"), "-"),
        (Row("a", None, "us", 4.5), "not measured"),
        (Row("a", 0, "", 0), "pass"),
        (Row("a", 8.0, "us", 4.5, peer=10.0, share=0.8), "pass"),
        (Row("a", 8.1, "us", 4.5, peer=10.0, share=0.8), "over"),
        (Row("a", 8.0, "us", 4.5, share=0.8), "over"),
    ],
)
def test_a_budget_is_the_most_that_is_allowed_here_or_of_the_peer(row: Row, verdict: str) -> None:
    assert row.verdict == verdict


def test_a_ratio_needs_both_figures() -> None:
    assert Row("a", 3.0, "us", peer=6.0).ratio == 0.5
    assert Row("a", 3.0, "us").ratio is None
    assert Row("a", None, "us", peer=6.0).ratio is None


def test_the_page_holds_every_row_the_machine_and_the_remarks() -> None:
    rows = [
        Row("fan-out", 3.456, "us", 4.5, 6.9, 0.8, "100 k/s"),
        Row("relay", None, "", note="no gcc"),
    ]
    page = as_markdown(rows, MACHINE, ["Node hub skipped"])
    assert "| fan-out | 3.46 us | <= 4.50 us or 0.80 x | pass | 6.90 us (0.50) | 100 k/s |" in page
    assert "| relay |  |  | not measured |  | no gcc |" in page
    assert "- Node hub skipped" in page
    assert "load 0.5 at the start" in page


def test_results_are_named_after_the_day_and_the_commit(tmp_path: Path) -> None:
    page = write(tmp_path / "results", [Row("a", 1.0, "s", 2.0)], MACHINE, [])
    assert page.name == "2026-03-20-abc1234.md"
    told = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert told["rows"][0]["verdict"] == "pass"
    assert told["machine"]["commit"] == "abc1234+"


def test_the_longest_stall_is_read_from_the_metrics_and_told_in_milliseconds() -> None:
    assert parse("# HELP x\npalabre_loop_lag_max_seconds 0.012\nother 1\n") == 0.012
    assert parse("other 1\n") is None
    assert [row.measured for row in measure([0.012, 0.030])] == [30.0]
    assert measure([]) == []
