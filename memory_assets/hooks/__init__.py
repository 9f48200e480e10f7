"""What agents call: their events, what they are told back, and the way of what they said into the memory."""
