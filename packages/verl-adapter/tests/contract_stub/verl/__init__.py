"""A stand-in for verl in tests: as much of its agent loop's contract as the adapter touches, and no more."""
