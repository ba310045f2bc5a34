from palabre.core.speech.model import Voice


def test_a_voice_speaks_the_language_that_its_name_begins_with() -> None:
    assert Voice("en_GB-alan-medium").language == "en"
    assert Voice("fr_FR-siwis-low").language == "fr"
    assert Voice("").language == "fr"
