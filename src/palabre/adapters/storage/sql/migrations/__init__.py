"""How the tables came to be; run by Alembic, oldest first."""
