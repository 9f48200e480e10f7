"""What was forgotten is taken out of every file: `memory purge`."""
