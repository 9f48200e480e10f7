"""A court that a language model holds: what it is shown, what it may say, and what of that stands."""
