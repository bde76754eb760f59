#!/bin/bash
set -Eeuo pipefail
trap 'echo failed' ERR
pick() { case $1 in 7b) echo 4; return 0;; *) echo 8;; esac; }
check() { [[ $1 -gt 2 ]]; }
TP=$(pick 7b)
if check $TP; then MEM=0.4; else MEM=0.8; fi
python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.tensor_model_parallel_size=$TP actor_rollout_ref.rollout.gpu_memory_utilization=$MEM
