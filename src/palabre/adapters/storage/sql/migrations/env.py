"""What Alembic runs: the migrations, on the connection that it is given."""

from alembic import context

from palabre.adapters.storage.sql.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=False,  # whoever gave the connection holds its transaction
)
context.run_migrations()
