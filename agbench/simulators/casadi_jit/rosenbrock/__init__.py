"""Adaptive linearly implicit (Rosenbrock) integration of batches of stiff equations."""
