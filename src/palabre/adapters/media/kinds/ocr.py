"""The words in pictures that `pdf` and `picture` made: nothing hostile comes here."""

import io
from collections.abc import Iterator

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


def read(job: Job) -> Found:
    """Read the words of each picture, from top to bottom; none is an answer too."""
    engine = RapidOCR(params=_OPTIONS)
    clip = Clip()
    all(clip.line(line) for content in job.contents for line in _lines(engine, content))
    return Found(Reading(clip.text, is_cut=clip.is_cut))


def _lines(engine: RapidOCR, content: bytes) -> Iterator[str]:
    with Image.open(io.BytesIO(content)) as image:
        result = engine(np.asarray(image.convert("RGB")))
    assert isinstance(result, RapidOCROutput)
    yield from result.txts or ()
