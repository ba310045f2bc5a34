"""The words in pictures that `pdf` and `picture` made: nothing hostile comes here."""

import io
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

import numpy as np
from PIL import Image
from rapidocr import RapidOCR
from rapidocr.utils.output import RapidOCROutput

from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job
from palabre.core.media.model import Reading

_OPTIONS = {
    "Global.use_cls": False,
    "Global.log_level": "critical",
    "Global.max_side_len": 1568,
    "Det.limit_type": "max",
    "Det.limit_side_len": 960,
    "Rec.rec_batch_num": 1,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
}
_SAFE_SHARE = 0.9
"""Of the time allowed: no page is begun that would probably go beyond it."""


def read(job: Job) -> Found:
    """Read the words of each picture, from top to bottom; none is an answer too.

    Pages for which there is no time are left out.
    """
    clip, engine = Clip(job.text_bytes), RapidOCR(params=_OPTIONS)
    pages = 0
    for content in in_time(job.contents, _SAFE_SHARE * min(job.limits.cpu_s, job.limits.wall_s)):
        pages += 1
        if not all(map(clip.line, _lines(engine, content))):
            break
    return Found(Reading(clip.text, is_cut=clip.is_cut or pages < len(job.contents)))


def in_time(
    contents: Sequence[bytes], limit_s: float, now_s: Callable[[], float] = monotonic
) -> Iterator[bytes]:
    """Yield *contents* until one like the slowest so far would end after *limit_s*."""
    start_s = last_s = now_s()
    slowest_s = 0.0
    for content in contents:
        if last_s - start_s + slowest_s > limit_s:
            return
        yield content
        slowest_s, last_s = max(slowest_s, now_s() - last_s), now_s()


def _lines(engine: RapidOCR, content: bytes) -> Iterator[str]:
    with Image.open(io.BytesIO(content)) as image:
        result = engine(np.asarray(image.convert("RGB")))
    assert isinstance(result, RapidOCROutput)
    yield from result.txts or ()
