"""Stands in for verl: prints, logs and ends as it does, on a real Ray cluster that runs its task. It trains nothing.

Called as `python -m liverl_verl.begin --module verl.trainer.main_ppo -- key=value …`. STAND_IN_STEP_S: seconds a step; STAND_IN_EXIT: how it ends.
"""

import json
import os
import sys
import time
from pathlib import Path

import ray


@ray.remote(num_cpus=1)
class TaskRunner:
    """The actor in which verl's trackers live: on any node, in the job's working directory."""

    def look(self) -> dict:
        import importlib

        # What verl does with VERL_USE_EXTERNAL_MODULES; the adapter's plugin itself needs torch and verl.
        importlib.import_module("liverl_verl.metrics_place")
        loops = Path("agent_loops.yaml").read_text()
        tokens = [Path("liverl-tokens", name).read_text().strip() != "" for name in ("trainer.token", "worker.token")]
        self.file = open(os.environ["VERL_FILE_LOGGER_PATH"], "wb", buffering=0)
        return {
            "loops": "RemoteAgentLoop" in loops and "liverl-tokens/trainer.token" in loops,
            "tokens": all(tokens),
            "modules": os.environ["VERL_USE_EXTERNAL_MODULES"],
        }

    def log(self, step: int) -> None:
        data = {"actor/pg_loss": 1 / step, "training/global_step": step, "critic/score/mean": float("nan")}
        print(f"step:{step} - " + " - ".join(f"{key}:{value}" for key, value in data.items()), flush=True)
        self.file.write(json.dumps({"step": step, "data": {**data, "critic/score/mean": None}}).encode() + b"\n")


def main() -> None:
    overrides = dict(word.split("=", 1) for word in sys.argv[sys.argv.index("--") + 1 :])
    print("argv " + json.dumps(sys.argv[1:]), flush=True)
    # Bytes that a follower may break: colours, wide characters, a long line, no newline at the end of a write.
    print("\x1b[31mcolour\x1b[0m — é 漢字 🙂\n" + "x" * 50_000, flush=True)
    ray.init()
    runner = TaskRunner.remote()
    print("look " + json.dumps(ray.get(runner.look.remote())), flush=True)
    for step in range(1, int(overrides["trainer.total_training_steps"]) + 1):
        time.sleep(float(os.environ.get("STAND_IN_STEP_S", "0.2")))
        ray.get(runner.log.remote(step))
        if os.environ.get("STAND_IN_EXIT") and step == 2:
            print("RuntimeError: the sandbox pool is gone", file=sys.stderr, flush=True)
            sys.exit(int(os.environ["STAND_IN_EXIT"]))
    # The last actor's lines reach the driver's log a moment later.
    time.sleep(1.5)


main()
