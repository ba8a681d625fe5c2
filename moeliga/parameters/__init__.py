"""Value objects with the parameters of each mechanism."""
