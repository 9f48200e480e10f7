"""The MCP server: what agents ask of the memory, over stdio. A surface: it calls ``memory.py`` and nothing below it."""
