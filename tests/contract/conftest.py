from tests.support.databases import address, database
from tests.support.postgres import postgres

__all__ = ["address", "database", "postgres"]
