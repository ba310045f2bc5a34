import pytest

from palabre.adapters.models.embedding_prefix import prefixed


@pytest.mark.parametrize(
    "model", ["nomic-embed-text:latest", "text-embedding-nomic-embed-text-v1.5"]
)
@pytest.mark.parametrize(
    ("purpose", "read"), [("question", "search_query: x"), ("passage", "search_document: x")]
)
def test_nomic_reads_what_a_text_is_for(model, purpose, read):
    assert prefixed(model, ["x", "y"], purpose) == [read, read[:-1] + "y"]


@pytest.mark.parametrize("model", ["bge-m3", "text-embedding-3-small"])
def test_others_read_the_text_alone(model):
    assert prefixed(model, ["x"], "question") == ["x"]
