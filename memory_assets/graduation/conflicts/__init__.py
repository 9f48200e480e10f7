"""Which statements contradict each other: the same subject, and another value, a denial or the opposite (`contradictions`)."""
