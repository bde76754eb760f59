"""usage: compare_merged.py ACTOR_DIR HF_DIR: a merged model against the FSDP shards that it was made of.

Loads HF_DIR as anybody would, with transformers, and puts the shards together by the placements that the tensors
themselves name. Every weight must be the shards' own in bfloat16, bit for bit, and so must the logits of a prompt.
Prints one JSON object.
"""

import json
import sys
from pathlib import Path

import torch
from torch.distributed.tensor import DTensor
from transformers import AutoModelForCausalLM, AutoTokenizer

actor, hf = (Path(path) for path in sys.argv[1:3])
world = json.loads((actor / "fsdp_config.json").read_text())["world_size"]
shards = [
    torch.load(actor / f"model_world_size_{world}_rank_{rank}.pt", map_location="cpu", weights_only=False)
    for rank in range(world)
]


def whole(name: str) -> torch.Tensor:
    parts = [shard[name] for shard in shards]
    if not isinstance(parts[0], DTensor):
        return parts[0]
    (placement,) = parts[0].placements
    local = [part.to_local() for part in parts]
    return torch.cat(local, dim=placement.dim) if placement.is_shard() else local[0]


weights = {name: whole(name).to(torch.bfloat16) for name in shards[0]}
merged = AutoModelForCausalLM.from_pretrained(hf, dtype=torch.bfloat16).eval()
state = merged.state_dict()
different = [name for name in weights if name not in state or not torch.equal(weights[name], state[name])]
tokenizer = AutoTokenizer.from_pretrained(hf)
ids = torch.tensor([tokenizer("def add(a, b):\n    return a - b\n")["input_ids"]])
with torch.no_grad():
    got = merged(ids).logits
    merged.load_state_dict(weights, strict=True)
    wanted = merged(ids).logits
print(
    json.dumps(
        {
            "world": world,
            "tensors": len(weights),
            "missing": sorted(set(state) - set(weights)),
            "different": different,
            "prompt": ids.shape[1],
            "logitsEqual": torch.equal(got, wanted),
            "finite": bool(torch.isfinite(got).all()),
        }
    )
)
