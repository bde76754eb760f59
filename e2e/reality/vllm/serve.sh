#!/usr/bin/env bash
# usage: serve.sh DIR [PORT] [more vllm serve options...]
#
# Serves DIR/model (made by setup.sh DIR) as "tiny" on 127.0.0.1:PORT (default 18400),
# in the foreground. Refuses a port that something already listens on: /health of the
# other server would answer 200 and look like ours. Ready when /health says 200 and
# /version says {"version":"0.32.0"}. Stop with SIGTERM; its children end with it.
#
#   DTYPE=float32   MAX_MODEL_LEN=2048   MAX_NUM_SEQS=16
#   DEV=1 (dev endpoints)   SCALE_OUT=1 (/inference/v1/*)
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,10p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
dir=$(cd "$1" && pwd); port=${2:-18400}; shift; [ $# -eq 0 ] || shift
if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
  echo "serve.sh: port $port is already in use" >&2; exit 1
fi
export VLLM_CPU_KVCACHE_SPACE=${VLLM_CPU_KVCACHE_SPACE:-1}
export VLLM_SERVER_DEV_MODE=${DEV:-1}
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1
# On CPU, vLLM 0.32 dies of a request with a seed whose prompt it reads in pieces (torch's CPU generator has no offset
# to take back): prompts of all sequences fit into one step.
batched=$(( ${MAX_NUM_SEQS:-16} * ${MAX_MODEL_LEN:-2048} ))
scale_out=()
[ "${SCALE_OUT:-1}" = 0 ] || scale_out=(--enable-scale-out)
cd "$dir"
exec "$dir/venv/bin/vllm" serve model \
  --host 127.0.0.1 --port "$port" --served-model-name tiny \
  --enforce-eager --dtype "${DTYPE:-float32}" \
  --max-model-len "${MAX_MODEL_LEN:-2048}" --max-num-seqs "${MAX_NUM_SEQS:-16}" \
  --max-num-batched-tokens "$batched" \
  "${scale_out[@]}" "$@"
