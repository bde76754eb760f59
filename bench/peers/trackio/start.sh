#!/bin/sh
# start.sh DIR PORT    Foreground self-hosted trackio server. What it prints goes to DIR/said-PORT: the URL with its write token.
# TRACKIO_SERVER_URL='http://127.0.0.1:PORT?write_token=…' DIR/venv/bin/python ingest.py 5000 20
set -eu
export TRACKIO_DIR="$1/data" GRADIO_SERVER_PORT="$2" HF_HUB_OFFLINE=1 GRADIO_ANALYTICS_ENABLED=False BROWSER=true PYTHONUNBUFFERED=1
exec "$1/venv/bin/trackio" show --host 127.0.0.1 >"$1/said-$2" 2>&1
