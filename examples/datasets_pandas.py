"""A dataset as a table, a row a step. First: `agbench dataset wheat-nitrogen/medium-v1`."""

from agbench.datasets import load

table = load("runs/datasets/wheat-nitrogen/medium-v1").to_pandas()
print(table.groupby("episode")[["reward", "cost"]].sum().describe())
