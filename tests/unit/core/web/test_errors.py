from palabre.core.web.errors import FetchError
from palabre.texts import say


def test_a_refusal_says_where_and_why_in_both_languages() -> None:
    error = FetchError("address", host="intra", address="10.0.0.1")
    assert say(error.text, "fr").startswith("intra n'a pas été lu : 10.0.0.1 n'est pas une adresse")
    assert say(error.text, "en") == (
        "intra was not fetched: 10.0.0.1 is no public address of the internet"
    )
