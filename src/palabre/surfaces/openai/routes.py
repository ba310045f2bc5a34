"""All routes of `/v1`, as an application of its own."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route

from palabre.core.auth.api_keys import Scope
from palabre.kernel.errors import PalabreError
from palabre.surfaces.openai.chat import ChatRoute
from palabre.surfaces.openai.description import tell
from palabre.surfaces.openai.embeddings import EmbeddingsRoute
from palabre.surfaces.openai.guarded import Guarded
from palabre.surfaces.openai.models import ModelRoutes
from palabre.surfaces.openai.ports import Ports
from palabre.surfaces.openai.responses import ResponsesRoute
from palabre.surfaces.openai.speech import SpeechRoute
from palabre.surfaces.openai.transcriptions import TranscriptionsRoute


def create_application(ports: Ports) -> Starlette:
    """Return the application that serves `/v1`."""
    return Starlette(
        routes=_routes(ports),
        exception_handlers={
            HTTPException: ports.errors.refused,
            PalabreError: ports.errors.expected,
            Exception: ports.errors.unforeseen,
        },
    )


def _routes(ports: Ports) -> list[Route]:
    gate, post = ports.gate, ["POST"]
    models, chat, responses = ModelRoutes(ports), ChatRoute(ports), ResponsesRoute(ports)
    embeddings, speech = EmbeddingsRoute(ports), SpeechRoute(ports)
    hearing = TranscriptionsRoute(ports)
    all_models = Guarded(gate, None, models.name, models.all)
    one_model = Guarded(gate, None, models.name, models.one)
    chatting = Guarded(gate, Scope.CHAT, chat.read, chat.answer)
    responding = Guarded(gate, Scope.CHAT, responses.read, responses.answer)
    embedding = Guarded(gate, Scope.EMBEDDINGS, embeddings.read, embeddings.answer)
    speaking = Guarded(gate, Scope.AUDIO, speech.read, speech.answer)
    listening = Guarded(gate, Scope.AUDIO, hearing.read, hearing.answer)
    return [
        Route("/v1/openapi.json", tell(ports.version), methods=["GET"]),
        Route("/v1/models", all_models, methods=["GET"]),
        Route("/v1/models/{model:path}", one_model, methods=["GET"]),
        Route("/v1/chat/completions", chatting, methods=post),
        Route("/v1/responses", responding, methods=post),
        Route("/v1/embeddings", embedding, methods=post),
        Route("/v1/audio/speech", speaking, methods=post),
        Route("/v1/audio/transcriptions", listening, methods=post),
    ]
