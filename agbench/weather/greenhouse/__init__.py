"""Sub-daily weather for greenhouses: measured, from typical years, or disaggregated from days."""
