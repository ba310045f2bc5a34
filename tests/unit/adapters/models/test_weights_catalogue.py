"""What `content/models.toml` holds is complete, and can be had."""

from pathlib import Path

import pytest

from palabre.adapters.models.weights_catalogue import MirrorSource, load_catalogue

CATALOGUE = Path(__file__).parents[4] / "content" / "models.toml"


def test_the_catalogue_that_comes_along_is_complete() -> None:
    catalogue = load_catalogue(CATALOGUE)
    assert set(catalogue.tiers) == {"tiny", "small"}
    for names in catalogue.tiers.values():
        assert set(names) <= set(catalogue.models)
    for each in catalogue.models.values():
        assert all(len(file.sha256) == 64 and file.sources for file in each.files)
        assert each.size_bytes > 20_000_000
        assert each.licence
    for each in (each for each in catalogue.models.values() if each.kind == "chat"):
        assert each.licence == "Apache-2.0"
        assert each.parameters


@pytest.mark.parametrize(
    "name",
    [
        "fr_FR-siwis-medium",
        "fr_FR-upmc-medium",
        "fr_FR-siwis-low",
        "fr_FR-gilles-low",
        "en_GB-alan-medium",
    ],
)
def test_the_voices_of_the_seed_can_be_had_with_what_they_need(name: str) -> None:
    (voice,) = load_catalogue(CATALOGUE).find(name)
    assert voice.kind == "voice"
    assert [file.file for file in voice.files] == [f"piper/{name}.onnx.json", f"piper/{name}.onnx"]


def test_speech_is_ears_and_a_voice() -> None:
    catalogue = load_catalogue(CATALOGUE)
    kinds = [each.kind for name in catalogue.members("speech") for each in catalogue.find(name)]
    assert kinds == ["ears", "voice"]


@pytest.mark.parametrize("name", ["whisper-base", "kokoro", "en_US-joe-medium"])
def test_ears_and_a_voice_of_each_language_can_be_had_without_a_hub(name: str) -> None:
    (weights,) = load_catalogue(CATALOGUE).find(name)
    for file in weights.files:
        assert any(isinstance(source, MirrorSource) for source in file.sources)


def test_every_tier_can_be_had_without_a_hub() -> None:
    catalogue = load_catalogue(CATALOGUE)
    for tier in catalogue.tiers:
        sources = [source for each in catalogue.find(tier) for source in each.sources]
        assert any(isinstance(source, MirrorSource) for source in sources)
