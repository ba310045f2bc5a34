"""/status: how the server is doing (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.models.model import ModelInfo
from palabre.core.telemetry.ports import GpuUse
from palabre.kernel.readable import readable_duration, readable_size
from palabre.kernel.text import Text, text

_SHOWN_MODELS = 8
_MIB = 1024 * 1024


async def _status(call: Call) -> None:
    models = await call.models.models()
    gpu = await call.machine.gpu()
    http = call.machine.http()
    call.answer(
        "status.page",
        uptime=readable_duration(call.machine.uptime_s()),
        people=call.rooms.people,
        personas=len(call.rooms.cast.personas),
        responders=call.rooms.max_responders,
        models=(text("status.models", count=len(models)), *map(_model, models[:_SHOWN_MODELS])),
        figures=(
            *_gpu(gpu),
            text("status.http", requests=http.requests, mean=http.mean_ms, longest=http.max_ms),
            text("status.memory", mib=call.machine.resident_bytes() // _MIB),
        ),
    )


def _model(model: ModelInfo) -> Text:
    return text("status.model", name=model.id, size=readable_size(model.size_bytes))


def _gpu(use: GpuUse | None) -> tuple[Text, ...]:
    if use is None:
        return ()
    return (text("status.vram", used=use.used_mib, total=use.total_mib, percent=use.busy_percent),)


COMMAND = Command("status", _status, rank=7, permission=Permission.CHAT_READ)
