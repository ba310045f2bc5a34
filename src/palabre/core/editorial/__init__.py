"""What editors make of personas: edits, sources, feedback, proposals; and pairs to train on."""
