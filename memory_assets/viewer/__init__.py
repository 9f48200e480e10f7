"""Pages that show a store to a person: starlette routes, jinja2 templates and static files, served by ``memory serve``.

Every word of a session is hostile: all of it is escaped and masked again where a page is written, and nothing of it is HTML.
"""
