"""The advantages of a group with stand-ins are those of the group without them, by each of verl's own estimators that compare. Prints one JSON line."""

import json
import random

import numpy as np
import torch
from omegaconf import OmegaConf
from verl.trainer.ppo import core_algos

from liverl_verl.plugin import COMPARING

LENGTH = 6
CONFIG = OmegaConf.create({"norm_adv_by_std_in_grpo": True, "gamma": 1.0, "lam": 1.0})
# Pass@k is of pairs: verl refuses a group of one.
LEAST = {"grpo_passk": 2}


def rows(rewards):
    mask = torch.zeros(len(rewards), LENGTH)
    scores = torch.zeros(len(rewards), LENGTH)
    for at, reward in enumerate(rewards):
        if reward is None:
            continue
        length = 1 + at % LENGTH
        mask[at, :length] = 1
        scores[at, length - 1] = reward
    return scores, mask


def groups_of(least):
    drawn = [
        [
            random.choice([0.0, 1.0, random.random(), None])
            for _ in range(random.randint(2, 8))
        ]
        for _ in range(4)
    ]
    for group in drawn:
        while sum(reward is not None for reward in group) < least:
            group.append(random.random())
    return drawn


def compare(name):
    compared, largest, naive = 0, 0.0, 0.0
    theirs = core_algos.get_adv_estimator_fn(name)
    ours = core_algos.get_adv_estimator_fn(f"liverl_{name}")
    for _ in range(300):
        groups = groups_of(LEAST.get(name, 0))
        rewards = [reward for group in groups for reward in group]
        kept = torch.tensor([reward is not None for reward in rewards])
        if not bool(kept.any()):
            continue
        index = np.array(
            [f"g{at}" for at, group in enumerate(groups) for _ in group], dtype=object
        )
        scores, mask = rows(rewards)
        alone, _ = theirs(
            token_level_rewards=scores[kept],
            response_mask=mask[kept],
            index=index[kept.numpy()],
            config=CONFIG,
        )
        all_of = {
            "token_level_rewards": scores,
            "response_mask": mask,
            "index": index,
            "config": CONFIG,
        }
        advantages, _ = ours(**all_of)
        with_them, _ = theirs(**all_of)
        largest = max(
            largest,
            float((advantages[kept] - alone).abs().max()),
            float(advantages[~kept].abs().sum()),
        )
        naive = max(naive, float((with_them[kept] - alone).abs().max()))
        compared += int(kept.sum())
    return {"compared": compared, "largestDifference": largest, "asVerlHasIt": naive}


def main():
    random.seed(0)
    print(json.dumps({name: compare(name) for name in COMPARING}))


main()
