"""Loaded by verl in each process of a job on a cluster: `VERL_USE_EXTERNAL_MODULES=liverl_verl.metrics_place`.

verl's file logger opens `VERL_FILE_LOGGER_PATH` and dies where its folder is missing. The path is in the run's folder, which
LiveRL reads; a machine that does not share that disk writes beside the job instead, and LiveRL takes the console's lines.
"""

import os
from pathlib import Path

_VARIABLE = "VERL_FILE_LOGGER_PATH"
_ELSEWHERE = "liverl-metrics.jsonl"
_KEPT_BY_LIVERL = "agent_loops.yaml"
"""Lies in every run's folder. The folder alone proves nothing: verl makes it anew for its checkpoints."""


def place_metrics() -> None:
    given = os.environ.get(_VARIABLE)
    if given and not Path(given).parent.joinpath(_KEPT_BY_LIVERL).is_file():
        os.environ[_VARIABLE] = str(Path.cwd() / _ELSEWHERE)


place_metrics()
