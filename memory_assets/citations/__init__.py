"""Addresses of what was remembered and of what lies outside the store: printed and read back."""
