"""The retrospective court: what went wrong in a session and how it was put right, what was praised, what was ordered.

Plain functions over a case; no database, no Dagster, no clock.
"""
