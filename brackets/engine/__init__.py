"""The knock-out: graph, state, match play, proofs, drawing. Values in, values out; imports only the kernel."""
