"""Settings files of other programs, in JSON, changed in place: what is ours is put in or taken out, all else stays as it is."""
