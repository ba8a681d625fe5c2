"""What people look at: displays, pictures and the report."""
