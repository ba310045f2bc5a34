from tests.support.postgres import postgres

__all__ = ["postgres"]
