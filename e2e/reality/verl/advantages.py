"""The advantages of a group with stand-ins are those of the group without them, by verl's own GRPO. Prints one JSON line."""

import json
import random

import numpy as np
import torch
from verl.trainer.ppo import core_algos

from liverl_verl.plugin import compute_grpo_without_stand_ins

LENGTH = 6


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


def main():
    random.seed(0)
    compared, largest, naive = 0, 0.0, 0.0
    for _ in range(300):
        groups = [[random.choice([0.0, 1.0, random.random(), None]) for _ in range(random.randint(2, 8))] for _ in range(4)]
        rewards = [reward for group in groups for reward in group]
        if all(reward is None for reward in rewards):
            continue
        index = np.array([f"g{at}" for at, group in enumerate(groups) for _ in group], dtype=object)
        scores, mask = rows(rewards)
        kept = torch.tensor([reward is not None for reward in rewards])
        ours, _ = compute_grpo_without_stand_ins(scores, mask, index, {"norm_adv_by_std_in_grpo": True})
        alone, _ = core_algos.compute_grpo_outcome_advantage(scores[kept], mask[kept], index[kept.numpy()])
        with_them, _ = core_algos.compute_grpo_outcome_advantage(scores, mask, index)
        largest = max(largest, float((ours[kept] - alone).abs().max()), float(ours[~kept].abs().sum()))
        naive = max(naive, float((with_them[kept] - alone).abs().max()))
        compared += int(kept.sum())
    print(json.dumps({"compared": compared, "largestDifference": largest, "withPlainGrpo": naive}))


main()
