"""A session as proof modules, and who judges them: the generator, the audit, two checkers of our own, and Idris 2."""
