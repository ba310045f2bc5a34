"""Runs as JSON: the file of V1 (facts of seed 000, 3.7 c), with what we add. Pure.

Ours are `parameters`, `held`, `retryOf`; `question`, `answer`, `attempt`, `reusedFrom` of steps.
"""

from collections.abc import Callable
from datetime import datetime

from palabre.core.engine.artifacts import Artifact, ArtifactFile
from palabre.core.engine.graph_json import graph_to_json
from palabre.core.engine.model import Answer, Question, Run, Step
from palabre.core.tools.model import Json
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text

Say = Callable[[Text], str]
"""Says a text in the language of whoever reads."""


def run_to_json(run: Run, say: Say) -> dict[str, Json]:
    """Return *run* as V1 wrote it."""
    made = [each for step in run.steps for each in step.outputs]
    return {
        "id": run.id,
        "graphId": run.graph.id,
        "graphName": run.graph.name,
        "graphVersion": run.graph.version,
        "graphSnapshot": graph_to_json(run.graph),
        "actor": run.actor,
        "status": run.state,
        "createdAt": iso_utc(run.created_at),
        "queuedAt": _moment(run.queued_at),
        "startedAt": _moment(run.started_at),
        "finishedAt": _moment(run.finished_at),
        "runtime": run.runtime,
        "stepCount": len(run.steps),
        "runtimes": list(dict.fromkeys(step.runtime for step in run.steps)),
        "cancelRequestedAt": _moment(run.cancel_requested_at),
        "recoveredAt": _moment(run.recovered_at),
        "recoveryCount": run.recovery_count,
        "steps": [step_to_json(each, say) for each in run.steps],
        "artifactSummary": {
            "totalArtifacts": len(made),
            "stepArtifacts": {each.id: len(each.outputs) for each in run.steps if each.outputs},
        },
        "parameters": dict(run.parameters),
        "held": run.held,
        "retryOf": run.retry_of or None,
    }


def step_to_json(step: Step, say: Say) -> dict[str, Json]:
    """Return *step* as V1 wrote it."""
    return {
        "id": step.id,
        "type": step.type,
        "title": step.title,
        "order": step.order,
        "runtime": step.runtime,
        "status": step.state,
        "outputs": [artifact_to_json(each) for each in step.outputs],
        "error": say(step.error) if step.error else None,
        "details": dict(step.details),
        "startedAt": _moment(step.started_at),
        "finishedAt": _moment(step.finished_at),
        "question": _question(step.question),
        "answer": _answer(step.answer),
        "attempt": step.attempt,
        "reusedFrom": step.reused_from or None,
    }


def artifact_to_json(artifact: Artifact) -> dict[str, Json]:
    """Return *artifact* as V1 listed it, with its kind, hash, size and files."""
    file = f"{artifact.output}.json"
    return {
        "stepId": artifact.step_id,
        "name": artifact.output,
        "file": file,
        "relativePath": f"{artifact.run_id}/{artifact.step_id}/{file}",
        "payload": dict(artifact.payload),
        "kind": artifact.kind.value,
        "digest": artifact.digest,
        "sizeBytes": artifact.size_bytes,
        "files": [_file(each) for each in artifact.files],
    }


def _file(file: ArtifactFile) -> dict[str, Json]:
    return {
        "name": file.name,
        "format": file.format,
        "part": file.part,
        "sizeBytes": file.size_bytes,
        "sha256": file.sha256,
        "records": file.records,
    }


def _question(question: Question | None) -> Json:
    if question is None:
        return None
    shows = [artifact_to_json(each) for each in question.shows]
    return {"words": question.words, "choices": list(question.choices), "shows": shows}


def _answer(answer: Answer | None) -> Json:
    if answer is None:
        return None
    told: dict[str, Json] = {"choice": answer.choice, "comment": answer.comment, "by": answer.by}
    return {**told, "at": iso_utc(answer.at)}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else iso_utc(moment)
