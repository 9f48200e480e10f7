"""Text as such: its characters, words, sentences and tokens, and whether two say the same. Every room may use it."""
