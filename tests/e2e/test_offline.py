"""With the network blocked but loopback all works, and nothing tries to leave."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.offline_visit import ARGUMENTS

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]


def namespace_refused() -> str:
    """Return why this machine gives no network namespace; nothing when it does."""
    if not shutil.which("unshare"):
        return "there is no unshare"
    tried = subprocess.run(
        ["unshare", "-rn", "true"], capture_output=True, text=True, timeout=10, check=False
    )
    return tried.stderr.strip() if tried.returncode else ""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if reason := namespace_refused():
        pytest.skip(f"no network namespace: {reason}")
    folder = tmp_path_factory.mktemp("offline")
    visit = [sys.executable, "-m", "tests.support.offline_visit", str(folder)]
    done = subprocess.run(
        ["unshare", "-rn", *visit],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_persona_answers(report: dict[str, Any]) -> None:
    assert report["answer"]


WORDS = {
    "help": "=== Commandes disponibles ===",
    "nick": "ana est maintenant connu(e) comme zoe",
    "who": "Schaeffer",
    "personas": "Schaeffer (",
    "web": "Recherche",
    "clear": "__clear__",
    "status": "=== Statut serveur ===",
    "models": "=== Modeles",
    "context": "=== Context Store: #general ===",
    "memory": "=== Memoire de Schaeffer ===",
    "export": "# Export #general",
    "responders": "nombre de repondeurs: 1",
    "imagine": "Erreur ComfyUI",
    "compose": "Composition impossible",
    "join": "Canal change: #musique",
    "channels": "Canaux actifs:",
    "reload": "Rechargement des personas",
    "stop": "Aucune réponse en cours",
}


def test_every_command_there_is_was_used(report: dict[str, Any]) -> None:
    assert set(report["told"]) == set(ARGUMENTS) == set(WORDS)


@pytest.mark.parametrize("command", WORDS)
def test_every_command_works(report: dict[str, Any], command: str) -> None:
    assert WORDS[command] in report["told"][command]


def test_page_and_health_are_served(report: dict[str, Any]) -> None:
    assert all(report["pages"])
    assert report["stopped"] == 0


def test_nothing_tried_to_leave_and_a_try_would_have_been_counted(report: dict[str, Any]) -> None:
    assert report["counted"] >= 1
    assert report["attempts"] == 0
