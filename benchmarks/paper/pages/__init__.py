"""The tables of pages of the guide, made from the results that are at hand."""
