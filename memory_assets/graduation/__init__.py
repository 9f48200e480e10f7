"""Stages and promotion: what a session claims is proved, and a policy decides on the proof."""
