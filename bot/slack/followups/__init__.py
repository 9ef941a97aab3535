"""Follow-ups in the thread of an inspection: their grammar, how they are read, what they answer."""
