"""The field family: daily crop models with events as actions."""
