"""Studies over many searches: optimism and stability."""
