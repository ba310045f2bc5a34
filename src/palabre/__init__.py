"""Palabre gives personas a voice: in chat rooms, in messengers, on companion tablets."""
