"""Readers of daily weather: NASA POWER, KNMI, CABO, Excel, CSV, EPW; fetched and local."""
