"""Voices and ears: text to sound, sound to text."""
