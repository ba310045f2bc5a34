"""What people share: told by its first bytes, read where it can harm nobody."""
