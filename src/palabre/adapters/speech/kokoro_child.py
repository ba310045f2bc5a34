"""Kokoro, whose phonemes come from GPL libraries, in a process of its own. See `child_loop`."""

from tempfile import NamedTemporaryFile

from palabre.adapters.speech.child_loop import Options, Request, Say, serve

STYLE_SHAPE = (-1, 1, 256)
ESPEAK_LANGUAGES = {"fr": "fr-fr", "en": "en-gb"}


def prepare(options: Options) -> Say:
    """Return how to say something.

    `options`: `model`, a path; `styles`, paths of voices by language.
    """
    import numpy as np  # noqa: PLC0415 - their absence is one of our answers
    import onnxruntime  # noqa: PLC0415
    from kokoro_onnx import Kokoro  # noqa: PLC0415

    session = onnxruntime.SessionOptions()
    session.intra_op_num_threads = session.inter_op_num_threads = options["threads"]
    styles = {
        language: np.fromfile(path, "<f4").reshape(STYLE_SHAPE)
        for language, path in options["styles"].items()
    }
    model = onnxruntime.InferenceSession(
        options["model"], session, providers=["CPUExecutionProvider"]
    )
    with NamedTemporaryFile(suffix=".npz") as voices:  # it wants to read some from a file
        np.savez(voices, allow_pickle=False, **styles)
        voices.flush()
        kokoro = Kokoro.from_session(model, voices.name)

    def say(request: Request) -> tuple[bytes, int]:
        language = request["language"]
        spoken = ESPEAK_LANGUAGES[language]
        phonemes = kokoro.tokenizer.phonemize(request["words"], spoken)
        if not any(char.isalpha() for char in phonemes):
            return b"", 0
        samples, rate_hz = kokoro.create(
            phonemes, voice=styles[language], lang=spoken, is_phonemes=True
        )
        scaled = np.clip(samples, -1, 1) * 32767
        return scaled.round().astype("<i2").tobytes(), rate_hz

    return say


if __name__ == "__main__":
    serve(prepare)
