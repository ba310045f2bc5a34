"""/models: which models are installed and in memory (seed 000 §13.2)."""

from itertools import groupby

from palabre.core.chat.commands import Call, Command
from palabre.core.models.model import ModelInfo
from palabre.kernel.readable import readable_size
from palabre.kernel.text import Text, text

_PROVIDER_NAMES = {"ollama": "Ollama"}


async def _models(call: Call) -> None:
    models = await call.models.models()
    pages = [_page(name, list(rows)) for name, rows in groupby(models, lambda row: row.provider)]
    call.answer("models.pages", pages=tuple(pages) or (_page("ollama", []),))


def _page(provider: str, models: list[ModelInfo]) -> Text:
    return text(
        "models.page",
        provider=_PROVIDER_NAMES.get(provider, provider),
        count=len(models),
        loaded=sum(model.loaded for model in models),
        lines=tuple(map(_line, models)),
    )


def _line(model: ModelInfo) -> Text:
    code = "models.loaded" if model.loaded else "models.installed"
    return text(code, name=model.id, size=readable_size(model.size_bytes))


COMMAND = Command("models", _models, rank=8)
