"""Compiled rooms; see `_ext/README.md` in the source tree."""
