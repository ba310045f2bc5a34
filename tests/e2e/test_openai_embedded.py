"""The official client asks a persona on the tiny embedded model, and has vectors made."""

import math
from pathlib import Path

import openai
import pytest
from tests.support.databases import with_database
from tests.support.rooms import serving

from palabre.app.clock import SystemClock
from palabre.app.models import build_registry, first_weights
from palabre.app.parts import Parts
from palabre.app.settings import load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import Scope
from palabre.core.knowledge.ports import NoDocuments

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(600)]

WANTED = {
    "server.port": 0,
    "models.provider": "embedded",
    "models.embedded.tier": "tiny",
    "models.embedded.threads": 1,
    "models.embedded.context_tokens": 2048,
}


async def test_a_persona_answers_streams_and_counts_its_tokens(tmp_path: Path) -> None:
    settings = load_settings(cli=WANTED | {"data_dir": with_database(tmp_path / "data")}).settings
    registry = build_registry(settings, SystemClock())
    _ = [each async for each in first_weights(registry)]
    parts = Parts(models=registry, knowledge=NoDocuments())
    async with serving(settings, parts) as (app, url):
        new = await app.api_keys.create(THE_MACHINE, "e2e", list(Scope))
        base_url = url.replace("ws://", "http://") + "/v1"
        async with openai.AsyncOpenAI(base_url=base_url, api_key=new.secret) as client:
            stream = await client.chat.completions.create(
                model="batty",
                messages=[{"role": "user", "content": "Qui es-tu, en une phrase ?"}],
                max_tokens=24,
                stream=True,
                stream_options={"include_usage": True},
            )
            chunks = [chunk async for chunk in stream]
            pieces = [each.choices[0].delta.content for each in chunks if each.choices]
            assert len([each for each in pieces if each]) > 1
            usage = chunks[-1].usage
            assert usage.model_extra == {"estimated": False}
            assert 0 < usage.completion_tokens <= 24
            assert usage.prompt_tokens > usage.completion_tokens
            told = await client.responses.create(
                model="batty", input="Quelle heure est-il ?", max_output_tokens=16
            )
            assert told.output_text.strip()
            made = await client.embeddings.create(model="default", input=["le chat", "la ruche"])
            assert math.isclose(math.hypot(*made.data[0].embedding), 1, abs_tol=0.01)
