import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SOURCES = str(Path(__file__).parent.parent / "src")


def start(tmp_path: Path, code: str) -> "tuple[subprocess.Popen[bytes], Path]":
    exit_file = tmp_path / "exit.json"
    command = ["-m", "liverl_verl.launch", "--exit-file", str(exit_file), "--", sys.executable, "-c", code]
    process = subprocess.Popen([sys.executable, *command], env={**os.environ, "PYTHONPATH": SOURCES})
    return process, exit_file


def test_the_command_s_code_is_on_disk_before_the_end(tmp_path: Path) -> None:
    process, exit_file = start(tmp_path, "import sys; sys.exit(3)")
    assert process.wait(30) == 3
    assert json.loads(exit_file.read_text())["code"] == 3


def test_a_daemon_that_left_its_group_ends_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "import subprocess, sys; child = subprocess.Popen(['sleep', '300'], start_new_session=True); "
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))"
    )
    process, exit_file = start(tmp_path, code)
    assert process.wait(30) == 0
    assert not Path("/proc", pid_file.read_text()).exists()
    assert json.loads(exit_file.read_text())["code"] == 0


def test_a_stop_reaches_the_command(tmp_path: Path) -> None:
    process, exit_file = start(tmp_path, "import time; time.sleep(300)")
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    assert json.loads(exit_file.read_text())["code"] == 143
