"""The command line: `moeliga select`, `show`, `demo`, `versions`."""
