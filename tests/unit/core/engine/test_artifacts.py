"""What steps hand to each other."""

import pytest

from palabre.core.engine.artifacts import Artifact, ArtifactFile, Kind, digest_of, fits

FILE = ArtifactFile("dataset.train.jsonl", "jsonl", 10, "aa", "train", 2)
TEST = ArtifactFile("dataset.test.jsonl", "jsonl", 5, "bb", "test", 1)


def test_any_dataset_goes_where_a_dataset_is_wanted() -> None:
    assert all(fits(each, Kind.DATASET) for each in (Kind.PAIRS, Kind.TOKENS, Kind.DATASET_READY))
    assert not fits(Kind.DATASET, Kind.PAIRS)
    assert not fits(Kind.MODEL, Kind.DATASET)
    assert all(fits(each, Kind.ANY) for each in Kind)


def test_an_artifact_counts_its_rows_and_bytes_over_all_shares() -> None:
    artifact = Artifact("r", "s", "dataset", Kind.DATASET, (FILE, TEST))
    assert (artifact.records, artifact.size_bytes) == (3, 15)
    assert artifact.parts == ("train", "test")


def test_equal_contents_have_equal_digests_wherever_they_were_made() -> None:
    one = Artifact("r1", "s1", "dataset", Kind.DATASET, (FILE,), {"a": 1, "b": [2]})
    other = Artifact("r2", "s2", "out", Kind.DATASET, (FILE,), {"b": [2], "a": 1})
    changed = Artifact("r1", "s1", "dataset", Kind.DATASET, (TEST,), {"a": 1, "b": [2]})
    assert one.digest == other.digest != changed.digest


def test_what_is_not_json_has_no_digest() -> None:
    with pytest.raises(TypeError, match="set"):
        digest_of({1})


def test_half_a_pair_of_surrogates_has_a_digest() -> None:
    assert digest_of("\ud800") != digest_of("?")
