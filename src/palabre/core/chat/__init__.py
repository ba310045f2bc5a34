"""Rooms: people and personas talk; every message travels through here."""
