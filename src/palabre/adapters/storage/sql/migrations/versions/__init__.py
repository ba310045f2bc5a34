"""One file a migration. They are never changed once released."""
