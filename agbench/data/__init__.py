"""Data files: what a task, crop, soil, site, baseline or submission may say, and where they are found."""
