"""/models: which models are installed and in memory (seed 000 §13.2)."""

from itertools import groupby

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.models.model import ModelInfo
from palabre.kernel.readable import readable_size
from palabre.kernel.text import Text, text


async def _models(call: Call) -> None:
    titles = {name: provider.title for name, provider in call.models.providers.items()}
    models = await call.models.models()
    pages = [
        _page(titles[name], list(rows)) for name, rows in groupby(models, lambda row: row.provider)
    ]
    call.answer("models.pages", pages=tuple(pages) or (_page(next(iter(titles.values())), []),))


def _page(title: str, models: list[ModelInfo]) -> Text:
    return text(
        "models.page",
        provider=title,
        count=len(models),
        loaded=sum(model.loaded for model in models),
        lines=tuple(map(_line, models)),
    )


def _line(model: ModelInfo) -> Text:
    code = "models.loaded" if model.loaded else "models.installed"
    return text(code, name=model.id, size=readable_size(model.size_bytes))


COMMAND = Command("models", _models, rank=8, permission=Permission.CHAT_READ)
