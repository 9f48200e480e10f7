"""The JSON Schemas of everything that is printed, and what a store and its surfaces can do."""
