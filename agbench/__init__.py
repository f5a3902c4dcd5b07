"""AgBench."""
