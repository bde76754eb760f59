"""Harbor's own answers: reads the same tasks, rewards and templates, and opens our result files with its viewer.

usage: reference.py TASKS CASES CONFIGS WORK    writes WORK/theirs.json
"""

import json
import math
import os
import sys
import warnings
from datetime import date, datetime
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

warnings.simplefilter("ignore")

from harbor.models.task.artifacts import (
    convention_source_for_os,
    normalize_artifact_entries,
    with_convention_entry,
)
from harbor.models.task.config import MultiStepRewardStrategy, TaskConfig
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import (
    resolve_step_verifier_mode,
    resolve_task_verifier_mode,
    resolve_verifier_environment_definition,
)
from harbor.models.trial.config import TrialConfig
from harbor.models.trial.paths import TrialPaths
from harbor.models.trial.result import StepResult
from harbor.models.verifier.result import VerifierResult
from harbor.trial.multi_step import MultiStepTrial
from harbor.trial.network_policy import resolve_trial_network_plan
from harbor.trial.trial import Trial
from harbor.utils.env import resolve_env_vars
from harbor.utils.trajectory_validator import TrajectoryValidator
from harbor.verifier.verifier import Verifier
from harbor.viewer.server import create_app


def plain(value):
    """JSON that JavaScript reads: no NaN, no infinity, no dates."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def dump(model):
    return plain(model.model_dump())


def artifacts_of(entries):
    return [dump(entry) for entry in normalize_artifact_entries(entries)]


def config_of(config: TaskConfig):
    dumped = dump(config)
    dumped["artifacts"] = artifacts_of(config.artifacts)
    for step, row in zip(config.steps or [], dumped["steps"] or []):
        row["artifacts"] = artifacts_of(step.artifacts)
    return dumped


def read_configs(folder: Path):
    out = {}
    for file in sorted(folder.glob("*/*.toml")):
        try:
            out[file.stem] = config_of(TaskConfig.model_validate_toml(file.read_text()))
        except ValueError:
            out[file.stem] = None
    return out


def policy(value):
    return value and {"mode": value.network_mode.value, "allowedHosts": value.allowed_hosts}


def plan_of(task: Task, timeout_multiplier: float):
    config = task.config
    trial_config = TrialConfig(
        task={"path": task.task_dir}, timeout_multiplier=timeout_multiplier
    )
    trial = SimpleNamespace(config=trial_config, task=task)
    trial._resolve_timeout_sec = lambda **given: Trial._resolve_timeout_sec(trial, **given)
    relative = lambda path: Path(path).relative_to(task.task_dir).as_posix()
    convention = convention_source_for_os(config.environment.os)
    steps = []
    for step in config.steps or [None]:
        mode = (
            resolve_step_verifier_mode(config, step)
            if step
            else resolve_task_verifier_mode(config)
        )
        definition = resolve_verifier_environment_definition(config, task.paths, step)
        network = resolve_trial_network_plan(
            config,
            trial_config.agent,
            trial_config.environment,
            step,
            verifier_mode=mode,
            env_config=definition and definition.config,
        )
        verifier = SimpleNamespace(
            task=task,
            step_name=step and step.name,
            _skip_tests_upload=bool(definition and definition.bundled_tests),
            environment=SimpleNamespace(os=config.environment.os),
        )
        folders, _, _ = Verifier._resolve_tests(verifier)
        trial.task_step = step
        steps.append(
            {
                "name": step and step.name,
                "instruction": task.step_instruction(step.name) if step else task.instruction,
                "agent": {
                    "timeoutS": MultiStepTrial._step_agent_timeout_sec(trial, step)
                    if step
                    else Trial._compute_agent_timeout_sec(trial),
                    "user": MultiStepTrial._step_agent_user(trial, step)
                    if step
                    else config.agent.user,
                    "network": policy(network.agent_phase),
                },
                "verifier": {
                    "mode": mode.value,
                    "timeoutS": Trial._step_verifier_timeout_sec(trial, step)
                    if step
                    else Trial._compute_verifier_timeout_sec(trial),
                    "user": Trial._step_verifier_user(trial, step)
                    if step
                    else config.verifier.user,
                    "env": {**config.verifier.env, **(step.verifier.env if step else {})},
                    "startNetwork": policy(network.verifier_phase_baseline),
                    "network": policy(network.verifier_phase),
                },
                "verifierEnvironment": definition
                and {
                    "config": dump(definition.config),
                    "folder": relative(definition.directory),
                    "hasOwnTests": definition.bundled_tests,
                },
                "testFolders": [relative(folder) for folder in folders],
                "collect": [
                    dump(hook) for hook in Trial._collect_hooks_for(trial, step)
                ],
                "artifacts": [
                    dump(entry)
                    for entry in with_convention_entry(
                        [*config.artifacts, *(step.artifacts if step else [])],
                        convention_source=convention,
                    )
                ],
                "healthcheck": dump(step.healthcheck) if step and step.healthcheck else None,
            }
        )
    return {
        "buildTimeoutS": Trial._compute_environment_build_timeout_sec(trial),
        "agentSetupTimeoutS": Trial._compute_agent_setup_timeout_sec(trial),
        "network": policy(network.agent_env_baseline),
        "steps": steps,
    }


def read_tasks(folder: Path, timeout_multiplier: float):
    out = {}
    for path in sorted(folder.iterdir()):
        task = Task(path)
        out[path.name] = {
            "name": task.name,
            "isValid": Task.is_valid_dir(path),
            "checksum": task.checksum,
            "config": config_of(task.config),
            "plan": plan_of(task, timeout_multiplier),
        }
    return out


def read_rewards(cases, folder: Path):
    out = {}
    for i, case in enumerate(cases):
        reader = SimpleNamespace(trial_paths=TrialPaths(trial_dir=folder / str(i)))
        paths = reader.trial_paths
        try:
            # As Verifier.verify() does it once the script has run.
            if paths.reward_json_path.exists():
                rewards = Verifier._parse_reward_json(reader)
            elif paths.reward_text_path.exists():
                rewards = Verifier._parse_reward_text(reader)
            else:
                rewards = None
            if rewards is None:
                out[case["name"]] = {"error": "RewardFileNotFoundError"}
            else:
                out[case["name"]] = {"rewards": plain(VerifierResult(rewards=rewards).rewards)}
        except Exception as error:
            out[case["name"]] = {"error": type(error).__name__}
    return out


def read_steps(cases):
    """The trial's reward of both strategies, and whether the last step ends the trial."""
    out = []
    for rows, least in cases:
        results = [
            StepResult(
                step_name=str(i), verifier_result=None if row is None else VerifierResult(rewards=row)
            )
            for i, row in enumerate(rows)
        ]
        answers = {}
        for strategy in MultiStepRewardStrategy:
            trial = SimpleNamespace(
                task=SimpleNamespace(config=SimpleNamespace(multi_step_reward_strategy=strategy)),
                result=SimpleNamespace(step_results=results),
            )
            trial._aggregate_step_rewards = lambda: Trial._aggregate_step_rewards(trial)
            verdict = Trial._select_multi_step_reward(trial)
            answers[strategy.value] = plain(verdict and verdict.rewards)
        answers["ends"] = (
            least is not None
            and MultiStepTrial._min_reward_failure(rows[-1], least) is not None
        )
        out.append(answers)
    return out


def read_env(cases):
    os.environ["SET"] = "found"
    os.environ.pop("UNSET", None)
    out = []
    for case in cases:
        try:
            out.append(resolve_env_vars(case))
        except ValueError:
            out.append(None)
    return out


def view(jobs: Path):
    """What `harbor view` shows of a folder, asked over its own HTTP API."""
    from fastapi.testclient import TestClient

    with TestClient(create_app(jobs)) as client:

        def get(path):
            answer = client.get(path)
            return answer.json() if answer.status_code == 200 else {"status": answer.status_code}

        out = {}
        for summary in get("/api/jobs?page_size=100")["items"]:
            job = f"/api/jobs/{summary['name']}"
            trials = {}
            for row in get(f"{job}/trials?page_size=100")["items"]:
                trial = f"{job}/trials/{row['name']}"
                trials[row["name"]] = {
                    "result": get(trial),
                    "trajectory": get(f"{trial}/trajectory"),
                    "verifier": get(f"{trial}/verifier-output"),
                    "artifacts": get(f"{trial}/artifacts"),
                }
            out[summary["name"]] = {
                "summary": summary,
                "config": get(f"{job}/config"),
                "result": get(job),
                "trials": trials,
            }
        return out


def validate_trajectories(jobs: Path):
    validator = TrajectoryValidator()
    return {
        file.relative_to(jobs).as_posix(): {
            "ok": validator.validate(file),
            "errors": list(validator.errors),
        }
        for file in sorted(jobs.glob("*/*/agent/trajectory.json"))
    }


def main():
    tasks, cases_file, configs, work = (Path(arg).resolve() for arg in sys.argv[1:5])
    cases = json.loads(cases_file.read_text())
    answers = {
        "version": version("harbor"),
        "configs": read_configs(configs),
        "tasks": read_tasks(tasks, cases["timeoutMultiplier"]),
        "rewards": read_rewards(cases["rewards"], work / "rewards"),
        "steps": read_steps(cases["steps"]),
        "env": read_env(cases["env"]),
        "view": view(work / "jobs"),
        "trajectories": validate_trajectories(work / "jobs"),
    }
    (work / "theirs.json").write_text(json.dumps(answers, allow_nan=False))


main()
