"""`python -m liverl_verl.preflight [--fully-async | --one-step-off] key=value…`: composes a config and has verl judge it.

No Ray, no weights, no GPU: seconds. Prints one JSON line, `{"ok": bool, "error": str | null, "kind": str | null}`; the
exit code is 0 where verl's own `validate_config` takes the config, 1 where it does not, 2 where verl is not there.
"""

import argparse
import json
import os
import sys
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.preflight")
    trainer = parser.add_mutually_exclusive_group()
    trainer.add_argument("--fully-async", action="store_true")
    trainer.add_argument("--one-step-off", action="store_true")
    parser.add_argument("overrides", nargs="*")
    args = parser.parse_args()
    try:
        import verl
    except ImportError as error:
        return _tell(2, f"verl can not be imported: {error}", "ImportError")
    root = os.path.dirname(verl.__file__)
    folder, name = os.path.join(root, "trainer", "config"), "ppo_trainer"
    if args.fully_async:
        folder = os.path.join(root, "experimental", "fully_async_policy", "config")
        name = "fully_async_ppo_trainer"
    elif args.one_step_off:
        folder = os.path.join(root, "experimental", "one_step_off_policy", "config")
        name = "one_step_off_ppo_trainer"
    try:
        _judge(folder, name, args.overrides)
    except Exception as error:  # verl and Hydra raise what they like: all of it is the config's fault
        return _tell(1, " ".join(str(error).split())[:2000], type(error).__name__)
    return _tell(0, None, None)


def _judge(folder: str, name: str, overrides: list[str]) -> None:
    from hydra import compose, initialize_config_dir
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    # Hydra's own keys are for a run's start, not for a config.
    given = [one for one in overrides if not one.lstrip("+~").startswith("hydra.")]
    if name != "ppo_trainer":
        given.append("hydra.searchpath=[pkg://verl.trainer.config]")
    with initialize_config_dir(config_dir=folder, version_base=None):
        config: Any = compose(config_name=name, overrides=given)
    if config.data.train_batch_size == 0:
        # fully_async takes prompts one by one and is never judged by verl: the rules hold for what one update takes.
        config.data.train_batch_size = config.actor_rollout_ref.actor.ppo_mini_batch_size
    validate_config(config, need_reference_policy(config), need_critic(config))


def _tell(code: int, error: str | None, kind: str | None) -> int:
    print(json.dumps({"ok": code == 0, "error": error, "kind": kind}))
    return code


if __name__ == "__main__":
    sys.exit(main())
