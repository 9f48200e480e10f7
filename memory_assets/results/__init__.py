"""What is printed with ``--json`` and answered to tools: one model for each object, by its schema id."""
