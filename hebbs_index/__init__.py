"""hebbs-index."""
