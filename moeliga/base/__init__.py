"""What every floor needs: checks, threads, limits, random streams."""
