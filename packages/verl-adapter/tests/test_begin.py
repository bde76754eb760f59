import json
import subprocess
import sys
from pathlib import Path

import pytest

import liverl_verl
from liverl_verl.begin import DATASETS, ConfigError, with_dataset
from liverl_verl.harbor_dataset import find_tasks


def task(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text('schema_version = "1.4"\n')
    (folder / "instruction.md").write_text("Fix it.")


def begin(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "liverl_verl.begin", "--module", "verl.trainer.main_ppo", *words]
    source = Path(liverl_verl.__file__).parents[1]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={"PYTHONPATH": str(source)})


def test_a_folder_of_tasks_takes_the_place_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A parquet needs pyarrow, which verl brings.
    def stand_in(folder: Path, split: str, out: Path) -> Path:
        out.mkdir()
        (out / f"{split}.parquet").touch()
        return out / f"{split}.parquet"

    monkeypatch.setattr("liverl_verl.begin.write_dataset", stand_in)
    folder = tmp_path / 'odd "name'
    task(folder / "a")
    given = ["data.train_files=[]", "data.val_files=[/v.parquet]", "trainer.total_epochs=1"]
    [val, epochs, train] = with_dataset(given, "train", folder)
    assert (val, epochs) == ("data.val_files=[/v.parquet]", "trainer.total_epochs=1")
    [parquet] = (folder / DATASETS).iterdir()
    assert json.loads(train.removeprefix("data.train_files=")) == [str(parquet)]
    # It is no task itself.
    assert [one.instance_id for one in find_tasks(folder)] == ["a"]


def test_a_folder_without_tasks_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no Harbor task"):
        with_dataset([], "train", tmp_path)
    done = begin(tmp_path, "--train-harbor", str(tmp_path), "--", "data.train_files=[]")
    assert done.returncode == 2
    assert done.stdout.startswith("ConfigError: ") and "holds no Harbor task" in done.stdout
    assert not done.stderr


def test_without_verl_it_says_which_python_lacks_it(tmp_path: Path) -> None:
    done = begin(tmp_path, "--", "a=b")
    assert done.returncode == 2
    assert f"verl can not be imported by {sys.executable}" in done.stdout
