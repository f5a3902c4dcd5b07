"""What daily crop models share: worlds in memory, calendar, events, forced states, tables."""
