"""What the data files may say: strict schemas of tasks, crops, soils, sites and policy settings."""
