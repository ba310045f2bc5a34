"""Voices and ears: engines in processes of their own, engines in a thread, servers."""
