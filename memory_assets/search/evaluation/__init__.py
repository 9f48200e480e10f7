"""Golden questions, and how well an answer meets them."""
