"""Benchmarks: functions that measure and return figures; `agbench bench` prints them."""
