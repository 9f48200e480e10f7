"""Whether what a search found can hold the answer: its passages graded, and what they are worth together."""
