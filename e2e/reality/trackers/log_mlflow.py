"""An unmodified MLflow client that logs as a trainer does. MLFLOW_TRACKING_URI and MLFLOW_TRACKING_TOKEN choose the server.

python log_mlflow.py STEPS KEYS [RUN_ID]    prints one JSON line {runId, points, seconds}
"""

import json
import math
import os
import pathlib
import sys
import tempfile
import time

import mlflow
from mlflow.entities import Metric

steps, keys = int(sys.argv[1]), int(sys.argv[2])
resumed = sys.argv[3] if len(sys.argv) > 3 else None
if not (1 <= steps <= 100_000 and 1 <= keys <= 100):
    raise SystemExit("steps 1..100000, keys 1..100")

mlflow.set_experiment("Trackers Suite")
client = mlflow.MlflowClient()
started = time.perf_counter()
first = steps if resumed else 0
with mlflow.start_run(run_id=resumed, run_name=None if resumed else "mlflow run", tags=None if resumed else {"kind": "suite"}) as run:
    run_id = run.info.run_id
    if not resumed:
        mlflow.log_params({"lr": 1e-6, "batch": keys})
    print(json.dumps({"runId": run_id}), flush=True)
    waiting = []
    for step in range(first, first + steps):
        if step % 10 == 0 and not resumed:
            # What verl and the Hugging Face trainers call: one dictionary a step.
            mlflow.log_metrics({f"metric/{k}": step * 0.5 + k for k in range(keys)}, step=step)
            continue
        now = int(time.time() * 1000)
        waiting += [Metric(f"metric/{k}", step * 0.5 + k, now, step) for k in range(keys)]
        if len(waiting) + keys > 1000:
            client.log_batch(run_id, waiting)
            waiting = []
    client.log_batch(run_id, waiting)
    mlflow.log_metric("last", math.nan, step=first + steps)
    with tempfile.TemporaryDirectory() as scratch:
        note = pathlib.Path(scratch) / "note.txt"
        note.write_text("hello artifact\n")
        mlflow.log_artifact(str(note), artifact_path="notes")
seconds = time.perf_counter() - started

# What the client reads is what it wrote.
read = client.get_metric_history(run_id, "metric/0")
assert [(m.step, m.value) for m in read] == [(s, s * 0.5) for s in range(first + steps)], "get_metric_history differs"
assert client.get_run(run_id).info.status == "FINISHED"
assert math.isnan(client.get_run(run_id).data.metrics["last"])
assert [f.path for f in client.list_artifacts(run_id)] == ["notes"]
path = client.download_artifacts(run_id, "notes/note.txt", tempfile.mkdtemp())
assert pathlib.Path(path).read_text() == "hello artifact\n"
found = mlflow.search_runs(experiment_names=["Trackers Suite"], filter_string="params.batch = '%d' and metrics.`metric/0` > 1" % keys)
assert run_id in list(found["run_id"]), "search_runs does not find it"
print(json.dumps({"runId": run_id, "points": steps * keys, "seconds": round(seconds, 2)}))
