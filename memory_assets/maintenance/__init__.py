"""The store kept sound: index and tables made again, forgotten or compared; what is wrong, and what to do about it."""
