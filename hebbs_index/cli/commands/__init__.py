"""One command a file; each module's `command` is what `hebbs_index.cli.main` loads by name."""
