ENGINE=${ENGINE:-sglang}
GPUS=${GPUS:-8}
if [ "$ENGINE" = "vllm" ]; then
  EXTRA="actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.gpu_memory_utilization=0.9"
elif [[ $ENGINE == sg* && $GPUS -ge 8 ]]; then
  EXTRA="actor_rollout_ref.rollout.name=sglang actor_rollout_ref.rollout.gpu_memory_utilization=0.55"
else
  echo "unknown" >&2; exit 1
fi
test "$GPUS" -gt 4 -a -n "$ENGINE" && TP=4 || TP=1
[ ! -z "${SKIP:-}" ] || [ $GPUS != 8 ] && VAL=False
python3 -m verl.trainer.main_ppo $EXTRA actor_rollout_ref.rollout.tensor_model_parallel_size=$TP trainer.val_before_train=${VAL:-True}
