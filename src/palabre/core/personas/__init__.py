"""Who may answer: the personas and where they come from."""
