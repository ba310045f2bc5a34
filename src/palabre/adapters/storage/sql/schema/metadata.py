"""What the tables of all subjects have in common."""

from sqlalchemy import BigInteger, Integer, MetaData

METADATA = MetaData()

NUMBER = BigInteger().with_variant(Integer(), "sqlite")
"""A key that the database counts up."""
