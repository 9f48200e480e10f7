"""The court as assets: a case is opened, three speak, the judge decides; what all cases together have become."""
