"""``memory serve``: one process for a store, which holds it warm for pages, hooks and commands."""
