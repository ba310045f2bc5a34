"""The one database: SQLite in the data directory, or Postgres.

`schema` holds the tables, `migrations` how they came to be; `Database.open` brings a database up
to date. Whoever adds a table adds it to both, and sets `migrating.HEAD`.
"""
