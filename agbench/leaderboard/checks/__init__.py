"""Checks of a submission before anything in it is run: files, record, table, actions, policy."""
