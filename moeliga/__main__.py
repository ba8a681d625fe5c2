"""`python -m moeliga`: the command line, also where its script is not on the path."""

import sys

from moeliga.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
