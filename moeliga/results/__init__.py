"""What a search has found, and how it is written down."""
