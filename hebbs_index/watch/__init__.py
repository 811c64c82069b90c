"""Which files are documents, what became of them, and when to look again.

`ignore` says what is corpus, `scan` looks, `plan` compares with what was indexed;
`events`, `polling`, `debounce` and `worker` decide when that happens.
"""
