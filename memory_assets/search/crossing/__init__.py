"""A question of one language and texts of the other: which words say the same, by a glossary, by their sound, by the texts."""
