"""`python -m liverl_verl.begin --module verl.trainer.main_ppo [--train-harbor DIR] [--val-harbor DIR] -- key=value…`

A job's first process on a cluster: makes datasets of folders of Harbor tasks, has verl judge its config, and becomes
verl. What is wrong is one line, before anything of Ray is started.
"""

import argparse
import os
import sys
from pathlib import Path

from liverl_verl.harbor_dataset import NoTasks, write_dataset
from liverl_verl.preflight import judge

DATASETS = ".liverl-datasets"
"""Beside the tasks: what a node reads them by, it reads the dataset by."""


class ConfigError(ValueError):
    pass


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.begin")
    parser.add_argument("--module", required=True)
    parser.add_argument("--train-harbor", type=Path)
    parser.add_argument("--val-harbor", type=Path)
    parser.add_argument("overrides", nargs="*")
    args = parser.parse_args()
    overrides: list[str] = args.overrides
    try:
        overrides = with_dataset(overrides, "train", args.train_harbor)
        overrides = with_dataset(overrides, "test", args.val_harbor)
        verdict = judge(args.module, overrides)
        if verdict.error is not None:
            raise ConfigError(f"verl does not take this config: {verdict.error}")
    except ConfigError as error:
        print(f"ConfigError: {error}", flush=True)
        return 2
    command = [sys.executable, "-m", args.module, *overrides]
    os.execv(sys.executable, command)


def with_dataset(overrides: list[str], split: str, folder: Path | None) -> list[str]:
    """A folder of tasks goes before files. Raises ConfigError where it has none, or can not be written to."""
    if folder is None:
        return overrides
    key = "data.train_files" if split == "train" else "data.val_files"
    try:
        path = write_dataset(folder, split, folder / DATASETS)
    except NoTasks as error:
        raise ConfigError(str(error)) from error
    except OSError as error:
        raise ConfigError(
            f"the dataset of {folder} can not be written beside its tasks ({error.strerror}): "
            f"make the folder writable for the job, or give parquet files in {key}"
        ) from error
    quoted = str(path).replace('"', '\\"')
    return [*(one for one in overrides if one.split("=", 1)[0] != key), f'{key}=["{quoted}"]']


if __name__ == "__main__":
    sys.exit(main())
