"""The search: populations, generations, islands, archive, checkpoints."""
