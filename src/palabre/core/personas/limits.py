"""How much a persona may say of itself, in characters unless the name says otherwise."""

MAX_PROMPT = 8000
MAX_SUMMARY = 300
MAX_SHORT_PROMPT = 1000
MAX_SPEECH = 1000
"""One side of an example."""

MAX_EXAMPLES = 4
MAX_NAME = 200
"""A model's or a voice's."""

MAX_TOKENS = 32_768
MAX_ID = 64
