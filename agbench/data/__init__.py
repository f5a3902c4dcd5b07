"""Data files: schemas of tasks, crops, soils, sites, baselines and submissions, and where their files are."""

from agbench.data import scalars as scalars
