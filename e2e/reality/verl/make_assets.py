"""Writes <out>/model, a 2-layer Qwen2 of random weights that speaks with the embedded policy's tokenizer, and the datasets.

usage: make_assets.py <embedded model folder> <out>
"""

import json
import pathlib
import shutil
import sys

import pandas as pd
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
TRAIN_TASKS, VAL_TASKS = 64, 4


def row(task: int, split: str) -> dict:
    return {
        "prompt": [{"role": "user", "content": f"repair/{task}"}],
        "data_source": "liverl/repair",
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": ""},
        "task_ref": f"repair/{task}",
        "extra_info": {"index": task, "split": split},
    }


def main(embedded: pathlib.Path, out: pathlib.Path) -> None:
    torch.manual_seed(0)
    theirs = json.loads((embedded / "config.json").read_text())
    config = Qwen2Config(
        vocab_size=theirs["vocab_size"],
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        eos_token_id=theirs["eos_token_id"],
        pad_token_id=theirs["pad_token_id"],
        bos_token_id=None,
        tie_word_embeddings=False,
    )
    Qwen2ForCausalLM(config).save_pretrained(out / "model")
    for name in TOKENIZER_FILES:
        shutil.copy(embedded / name, out / "model" / name)
    pd.DataFrame([row(i, "train") for i in range(TRAIN_TASKS)]).to_parquet(out / "train.parquet")
    pd.DataFrame([row(100_000 + i, "test") for i in range(VAL_TASKS)]).to_parquet(out / "val.parquet")


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    main(source, target)
