"""Verification: replayed, reproduced and hidden runs, and what is written down of them."""
