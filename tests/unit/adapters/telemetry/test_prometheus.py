"""Figures as Prometheus reads them."""

import pytest

from palabre.adapters.telemetry.prometheus import PREFIX, PrometheusTelemetry
from palabre.core.telemetry.metrics import METRICS


def lines(telemetry: PrometheusTelemetry) -> list[str]:
    return telemetry.exposition().decode().splitlines()


def test_every_metric_is_there_from_the_start_with_its_help() -> None:
    shown = lines(PrometheusTelemetry())
    for metric in METRICS.values():
        suffix = "_total" if metric.type == "counter" else ""
        assert f"# HELP {PREFIX}{metric.name}{suffix} {metric.help}" in shown


def test_counters_are_kept_by_kind_where_they_have_kinds() -> None:
    telemetry = PrometheusTelemetry()
    telemetry.count("frames_dropped", label="oversize")
    telemetry.count("frames_dropped", label="oversize")
    telemetry.count("loop_held_up")
    shown = lines(telemetry)
    assert 'palabre_frames_dropped_total{kind="oversize"} 2.0' in shown
    assert "palabre_loop_held_up_total 1.0" in shown


def test_a_gauge_keeps_its_last_value() -> None:
    telemetry = PrometheusTelemetry()
    telemetry.set("loop_lag_max_seconds", 3)
    telemetry.set("loop_lag_max_seconds", 2)
    assert "palabre_loop_lag_max_seconds 2.0" in lines(telemetry)


def test_times_fall_into_buckets_of_seconds() -> None:
    telemetry = PrometheusTelemetry()
    telemetry.observe("http_request_seconds", 0.02)
    shown = lines(telemetry)
    assert 'palabre_http_request_seconds_bucket{le="0.01"} 0.0' in shown
    assert 'palabre_http_request_seconds_bucket{le="0.025"} 1.0' in shown


def test_an_unknown_metric_is_an_error() -> None:
    telemetry = PrometheusTelemetry()
    with pytest.raises(LookupError):
        telemetry.count("no_such_figure")
    with pytest.raises(LookupError):
        telemetry.observe("loop_held_up", 1)
