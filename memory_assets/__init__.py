"""Memory that people trust: conversations become memories that point at the exact characters they came from."""

__version__ = "0.1.0"
