"""`python -m liverl_verl.harbor_dataset --split train --out DIR FOLDER`: Harbor tasks of a folder as a parquet that verl reads.

A task is a folder with `task.toml`, and `instruction.md` or `steps/`, at any depth. The parquet is kept under a name that the tasks'
own contents give, so that an unchanged folder is scanned once. Prints the parquet's path.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("prompt", "data_source", "ability", "reward_model", "instance_id", "local_task_path", "extra_info")


class NoTasks(ValueError):
    pass


@dataclass(frozen=True)
class Task:
    instance_id: str
    path: Path
    instruction: str
    digest: str


def find_tasks(folder: Path) -> list[Task]:
    """By path. Raises NoTasks where there is none, or where two have one name."""
    if not folder.is_dir():
        raise NoTasks(f"{folder} is no folder: give one that holds Harbor tasks")
    tasks = sorted(_tasks(folder.resolve()), key=lambda task: task.instance_id)
    if not tasks:
        raise NoTasks(
            f"{folder} holds no Harbor task: a task is a folder with task.toml, and instruction.md or steps/"
        )
    return tasks


def _tasks(folder: Path) -> Iterator[Task]:
    for path, told in _folders(folder):
        files_of_instructions = _instructions(path)
        if not files_of_instructions:
            print(f"{path} has task.toml and no instruction.md: left out", file=sys.stderr)
            continue
        instructions = [file.read_text(errors="replace") for file in files_of_instructions]
        # Each step is a conversation of its own: the longest prompt is the one that has to fit.
        instruction = max(instructions, key=len)
        digest = hashlib.sha256(
            (path / "task.toml").read_bytes() + "\0".join(instructions).encode()
        ).hexdigest()
        yield Task(told, path, instruction, digest)


MAX_DEPTH = 8
SKIPPED = frozenset({"node_modules", ".git"})


def _folders(root: Path) -> Iterator[tuple[Path, str]]:
    """Folders with a task.toml and their paths below the root, as preflight finds them (packages/durable, find-tasks.ts)."""
    if (root / "registry.json").is_file():
        yield from _registered(root)
        return
    found: set[Path] = set()

    def visit(path: Path, ancestors: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return
        if not real.is_relative_to(root) or real in ancestors or real in found or not real.is_dir():
            return
        names = sorted(os.listdir(real))
        if "task.toml" in names:
            found.add(real)
            yield real, str(path.relative_to(root)) if path != root else root.name
        elif len(ancestors) < MAX_DEPTH:
            for name in names:
                if name not in SKIPPED:
                    yield from visit(path / name, (*ancestors, real))

    yield from visit(root, ())


def _registered(root: Path) -> Iterator[tuple[Path, str]]:
    found: set[Path] = set()
    for entry in json.loads((root / "registry.json").read_text()):
        for task in entry["tasks"]:
            real = (root / task["path"]).resolve()
            is_task = real.is_relative_to(root) and (real / "task.toml").is_file()
            if task.get("git_url") or not is_task or real in found:
                continue
            found.add(real)
            yield real, task["path"]


def _instructions(task: Path) -> list[Path]:
    own = task / "instruction.md"
    return [own] if own.is_file() else sorted(task.glob("steps/*/instruction.md"))


def write_dataset(folder: Path, split: str, out: Path) -> Path:
    """The parquet's path; written whole or not at all."""
    tasks = find_tasks(folder)
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = "".join(f"{task.instance_id}\0{task.path}\0{task.digest}\0" for task in tasks)
    name = hashlib.sha256(f"{split}\0{told}".encode()).hexdigest()[:16]
    path = out / f"{split}-{len(tasks)}-{name}.parquet"
    if path.exists():
        return path
    rows = [
        {
            "prompt": [{"role": "user", "content": task.instruction}],
            "data_source": "harbor",
            "ability": "code",
            "reward_model": {"style": "rule", "ground_truth": ""},
            "instance_id": task.instance_id,
            "local_task_path": str(task.path),
            "extra_info": {"index": at, "split": split, "local_task_path": str(task.path)},
        }
        for at, task in enumerate(tasks)
    ]
    out.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    pq.write_table(pa.Table.from_pylist(rows), draft)
    os.replace(draft, path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="liverl_verl.harbor_dataset")
    parser.add_argument("--split", choices=("train", "test"), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    try:
        print(write_dataset(args.folder, args.split, args.out))
    except NoTasks as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
