"""Every figure that the program keeps: one table, for those who count and those who read."""

from dataclasses import dataclass
from typing import Literal

MetricType = Literal["counter", "gauge", "histogram"]
Unit = Literal["", "bytes", "seconds"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure.

    Attributes:
        name: What `Telemetry` is told; it ends with the unit.
        help: What it says, as one line for operators.
        unit: Of its values; nothing for what is merely counted.
        kinds: What its label may be, in words; nothing for a figure without a label.
    """

    type: MetricType
    name: str
    help: str
    unit: Unit = ""
    kinds: str = ""


METRICS = {
    metric.name: metric
    for metric in (
        Metric("counter", "archives_deleted", "Archives of summarised talks that were too many."),
        Metric("counter", "calls_dropped", "Calls on a persona that too many others waited for."),
        Metric("counter", "compactions", "Channels whose oldest messages were summarised."),
        Metric("counter", "compactions_failed", "Summaries of channels that failed."),
        Metric("gauge", "context_bytes", "Size of contexts and archives.", unit="bytes"),
        Metric(
            "counter", "frames_dropped", "Frames dropped unread.", kinds="`oversize`, `not_json`"
        ),
        Metric("counter", "frames_received", "Frames taken.", kinds="the frame's type"),
        Metric(
            "counter",
            "frames_refused",
            "Frames answered with a refusal.",
            kinds="`rate_limited`, `inbox_full`, `invalid`",
        ),
        Metric("counter", "media_unreadable", "Descriptions of kept media that make no sense."),
        Metric("counter", "history_unreadable", "Histories that could not be read."),
        Metric("histogram", "http_request_seconds", "Time to answer an HTTP request.", "seconds"),
        Metric("counter", "listeners_evicted", "Clients closed because they read too slowly."),
        Metric("counter", "logins", "Sessions begun.", kinds="the session's role"),
        Metric(
            "counter",
            "logins_refused",
            "Logins refused.",
            kinds="`invalid_credentials`, `logins_busy`, `rate_limited`",
        ),
        Metric("counter", "loop_held_up", "Times that the event loop was held up too long."),
        Metric(
            "gauge", "loop_lag_max_seconds", "Longest hold-up of the event loop so far.", "seconds"
        ),
        Metric(
            "counter", "memory_failures", "Times that a persona could not learn, and tries again."
        ),
        Metric("counter", "memory_updates", "Times that a persona learnt from what was said."),
        Metric("counter", "memory_windows_dropped", "Talks that a persona will not learn from."),
        Metric("histogram", "memory_update_seconds", "Time in which a persona learns.", "seconds"),
        Metric("histogram", "reply_seconds", "Time in which a persona answers.", "seconds"),
        Metric("histogram", "message_seconds", "Time to take what a client sends.", "seconds"),
        Metric("counter", "model_calls", "Calls to a model.", kinds="the provider"),
        Metric("counter", "model_failures", "Calls to a model that failed.", kinds="the provider"),
        Metric(
            "counter",
            "sockets_ended",
            "Clients whose connection was ended.",
            kinds="`session_ended`",
        ),
        Metric(
            "counter",
            "sockets_refused",
            "Clients turned away.",
            kinds="`origin`, `full`, `session_required`",
        ),
        Metric("counter", "sentences_spoken", "Sentences said aloud."),
        Metric("counter", "speech_failures", "Answers that were not said to their end."),
        Metric("counter", "storage_index_failed", "Counts of messages that could not be saved."),
        Metric("counter", "storage_mirror_failed", "Changes that could not be mirrored in files."),
        Metric("counter", "storage_sync_failed", "Failed attempts to force messages to the disk."),
        Metric("counter", "suggestions", "Proposals drafted out of complaints."),
        Metric("counter", "suggestion_failures", "Drafts of proposals that came to nothing."),
    )
}


def metric(name: str, kind: MetricType, label: str = "") -> Metric:
    """Return the metric *name* of the type *kind*, which may have the *label*.

    Raises:
        LookupError: There is none like this: the code that counts is wrong.
    """
    found = METRICS.get(name)
    if found is None or found.type != kind or bool(found.kinds) != bool(label):
        msg = f"core/telemetry/metrics.py has no {kind} {name} with the label {label!r}"
        raise LookupError(msg)
    return found
