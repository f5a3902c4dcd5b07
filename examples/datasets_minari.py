"""A dataset through Minari. First: `agbench dataset wheat-nitrogen/medium-v1`, and this in its environment:

MINARI_DATASETS_PATH=runs/datasets
"""

import minari

data = minari.load_dataset("wheat-nitrogen/medium-v1")
env = data.recover_environment(eval_env=True)
print(data.spec.total_steps, env.reset(seed=0)[1])
