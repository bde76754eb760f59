import json
from pathlib import Path

import pytest

from liverl_verl.harbor_dataset import NoTasks, find_tasks


def task(folder: Path, *, instruction: str | None = "Fix it.") -> None:
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text('schema_version = "1.4"\n')
    if instruction is not None:
        (folder / "instruction.md").write_text(instruction)


def test_tasks_at_any_depth_and_none_inside_another(tmp_path: Path) -> None:
    task(tmp_path / "b" / "deep")
    task(tmp_path / "a", instruction="Prüfe das.")
    task(tmp_path / "a" / "environment" / "copy")
    task(tmp_path / "c", instruction=None)
    tasks = find_tasks(tmp_path)
    assert [one.instance_id for one in tasks] == ["a", "b/deep"]
    assert tasks[0].instruction == "Prüfe das."
    assert tasks[1].path == tmp_path / "b" / "deep"


def test_a_folder_without_tasks_says_what_a_task_is(tmp_path: Path) -> None:
    with pytest.raises(NoTasks, match=r"task\.toml, and instruction\.md or steps/"):
        find_tasks(tmp_path)
    with pytest.raises(NoTasks, match="is no folder"):
        find_tasks(tmp_path / "none")


def test_a_task_of_steps_has_the_longest_of_its_prompts(tmp_path: Path) -> None:
    task(tmp_path / "a", instruction=None)
    for name, text in {"one": "Plan it.", "two": "Write all of it.", "three": "Tell."}.items():
        (tmp_path / "a" / "steps" / name).mkdir(parents=True)
        (tmp_path / "a" / "steps" / name / "instruction.md").write_text(text)
    before = find_tasks(tmp_path)[0]
    assert before.instruction == "Write all of it."
    (tmp_path / "a" / "steps" / "one" / "instruction.md").write_text("Plan!")
    assert find_tasks(tmp_path)[0].digest != before.digest


def test_a_change_of_a_task_is_another_dataset(tmp_path: Path) -> None:
    task(tmp_path / "a")
    before = find_tasks(tmp_path)[0].digest
    (tmp_path / "a" / "instruction.md").write_text("Fix it well.")
    assert find_tasks(tmp_path)[0].digest != before


TABLE = Path(__file__).parents[2] / "durable/src/tasks/__fixtures__/task-folders.json"


@pytest.mark.parametrize("case", json.loads(TABLE.read_text()), ids=lambda case: case["name"])
def test_finds_what_preflight_finds(case: dict, tmp_path: Path) -> None:
    for path, text in case["files"].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for path, to in case["links"].items():
        (tmp_path / path).symlink_to(to)
    try:
        found = [str(task.path.relative_to(tmp_path.resolve())) for task in find_tasks(tmp_path)]
    except NoTasks:
        found = []
    assert sorted(found) == case["tasks"]
