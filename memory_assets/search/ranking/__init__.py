"""From what the index found to one ranking, and how far it suffices. Pure functions."""
