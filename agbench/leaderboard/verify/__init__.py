"""Verification: replayed, reproduced and hidden runs, and the record of them."""
