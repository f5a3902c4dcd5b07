"""Searching for settings and schedules: cross-entropy, batches of candidates, fitted baselines."""
