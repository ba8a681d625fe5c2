"""The command line: `moeliga select`, `show`, `report`, `demo`."""
