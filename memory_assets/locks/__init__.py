"""Locks on files, which a process that dies loses: what every kind of them is made of."""
