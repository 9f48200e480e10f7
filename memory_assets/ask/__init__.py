"""From a question to an answer that quotes, cites and refuses."""
