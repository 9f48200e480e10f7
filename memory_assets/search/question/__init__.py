"""What a question asks: its words, names, times and intent, and how deep it has to be searched. Pure functions."""
