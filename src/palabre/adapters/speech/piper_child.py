"""Piper, which is GPL, in a process of its own. See `child_loop`."""

import json
import re
from collections import OrderedDict
from pathlib import Path

from palabre.adapters.speech.child_loop import Options, Request, Say, serve

KEPT_VOICES = 3


def prepare(options: Options) -> Say:
    """Return how to say something with the voices of `options["voices"]`: paths by name."""
    import onnxruntime  # noqa: PLC0415 - their absence is one of our answers
    from piper import PiperVoice  # noqa: PLC0415
    from piper.config import PiperConfig  # noqa: PLC0415

    session = onnxruntime.SessionOptions()
    session.intra_op_num_threads = session.inter_op_num_threads = options["threads"]
    loaded: OrderedDict[str, PiperVoice] = OrderedDict()

    def load(name: str) -> PiperVoice:
        path = options["voices"][name]
        config = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
        model = onnxruntime.InferenceSession(path, session, providers=["CPUExecutionProvider"])
        return PiperVoice(session=model, config=PiperConfig.from_dict(config))

    def say(request: Request) -> tuple[bytes, int]:
        name = request["voice"]
        voice = loaded.pop(name, None) or load(name)
        loaded[name] = voice
        if len(loaded) > KEPT_VOICES:
            loaded.popitem(last=False)
        # Two brackets would be phonemes to it.
        words = re.sub(r"\[(?=\[)", "[ ", request["words"])
        samples = b"".join(chunk.audio_int16_bytes for chunk in voice.synthesize(words))
        return samples, voice.config.sample_rate

    return say


if __name__ == "__main__":
    serve(prepare)
