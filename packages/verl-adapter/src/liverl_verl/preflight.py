"""`python -m liverl_verl.preflight --module verl.trainer.main_ppo key=value…`: composes a config and has verl judge it.

No Ray, no weights, no GPU: seconds. Prints one JSON line, `{"ok": bool, "error": str | null, "kind": str | null}`; the
exit code is 0 where verl's own `validate_config` takes the config, 1 where it does not, 2 where verl is not there.
"""

import argparse
import json
import os
import sys
from typing import Any, NamedTuple


class Verdict(NamedTuple):
    code: int
    error: str | None
    kind: str | None


_CONFIGS = {
    "verl.trainer.main_ppo": ("trainer", "ppo_trainer"),
    "verl.experimental.fully_async_policy.fully_async_main": (
        "experimental/fully_async_policy",
        "fully_async_ppo_trainer",
    ),
    "verl.experimental.one_step_off_policy.main_ppo": (
        "experimental/one_step_off_policy",
        "one_step_off_ppo_trainer",
    ),
}
"""Trainer's module to the folder and name of its config."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.preflight")
    parser.add_argument("--module", choices=tuple(_CONFIGS), required=True)
    parser.add_argument("overrides", nargs="*")
    args = parser.parse_args()
    verdict = judge(args.module, args.overrides)
    print(json.dumps({"ok": verdict.code == 0, "error": verdict.error, "kind": verdict.kind}))
    return verdict.code


def judge(module: str, overrides: list[str]) -> Verdict:
    try:
        import verl
    except ImportError as error:
        return Verdict(2, f"verl can not be imported by {sys.executable}: {error}", "ImportError")
    folder, name = _CONFIGS[module]
    try:
        _validate(os.path.join(os.path.dirname(verl.__file__), folder, "config"), name, overrides)
    except Exception as error:  # verl and Hydra raise what they like: all of it is the config's fault
        return Verdict(1, " ".join(str(error).split())[:2000], type(error).__name__)
    return Verdict(0, None, None)


def _validate(folder: str, name: str, overrides: list[str]) -> None:
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


if __name__ == "__main__":
    sys.exit(main())
