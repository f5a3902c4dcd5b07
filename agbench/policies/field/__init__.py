"""Policies for fields: rules, schedules, an economic decision model, and oracles."""
