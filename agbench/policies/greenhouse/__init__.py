"""Policies for greenhouses."""
