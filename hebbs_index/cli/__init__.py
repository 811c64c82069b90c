"""The command line: parse what was typed, call the facade, print what it answers.

Nothing here decides anything about documents or contradictions. Data goes to stdout, talk
to stderr, and no module of this package imports a model or the store when it is loaded.
"""
