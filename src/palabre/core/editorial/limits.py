"""How much editors may say, in characters (seed 000 §16)."""

MAX_NAME_CHARS = 50
MAX_MODEL_CHARS = 100
MAX_SUMMARY_CHARS = 2000
MAX_SUBJECT_CHARS = 200
"""Of who or what a persona is made after."""

MAX_SOURCE_CHARS = 5000
MAX_REFERENCES = 100
MAX_REFERENCE_CHARS = 500
