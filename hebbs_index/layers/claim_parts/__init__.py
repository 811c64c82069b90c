"""The steps by which a draft becomes claims: words, clauses, polarity, scope, attributes, slots."""
