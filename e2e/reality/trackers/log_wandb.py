"""An unmodified wandb client that logs as a trainer does. WANDB_BASE_URL and WANDB_API_KEY choose the server.

python log_wandb.py ID STEPS KEYS [resume | slow]    prints one JSON line {id, points, seconds}
"""

import json
import sys
import time

import wandb

name, steps, keys = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
how = sys.argv[4] if len(sys.argv) > 4 else ""
resume = how == "resume"
if not (1 <= steps <= 100_000 and 1 <= keys <= 100):
    raise SystemExit("steps 1..100000, keys 1..100")
started = time.perf_counter()
run = wandb.init(project="Trackers Suite", id=name, name="wandb run", config={"lr": 1e-6, "model": {"name": "tiny"}}, tags=["suite"], resume="must" if resume else None)
print(json.dumps({"id": run.id, "startingStep": run.starting_step}), flush=True)
first = run.starting_step
for step in range(first, first + steps):
    run.log({f"metric/{k}": step * 0.5 + k for k in range(keys)}, step=step)
    if step % 500 == 0:
        print(f"step {step}", flush=True)
    # A trainer takes its time; the client sends meanwhile.
    if step % 250 == 0:
        time.sleep(1.5 if how == "slow" else 0.2)
run.log({"last": float("nan"), "table": wandb.Table(columns=["a", "b"], data=[[1, "x"]])}, step=first + steps)
run.config.update({"late": 1})
run.finish()
print(json.dumps({"id": run.id, "points": steps * keys, "first": first, "seconds": round(time.perf_counter() - started, 2)}))
