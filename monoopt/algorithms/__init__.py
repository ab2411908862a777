"""Loops over several programs: column generation, alternation, batches."""
