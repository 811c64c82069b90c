"""Measurements of speed and quality; `README.md` says how to run and read them."""
