nodes=2 gpus=8
tp=$((gpus / 2)) ; world=$(( nodes * gpus ))
bsz=$(( world * 4 > 32 ? 64 : 16 ))
let "mini = bsz / 4"
((tokens = 1024 * 8))
(( mini++ )) || true
i=0; while (( i < 3 )); do (( i += 1 )); done
python -m verl.trainer.main_ppo trainer.nnodes=$nodes trainer.n_gpus_per_node=$gpus data.train_batch_size=$bsz \
  actor_rollout_ref.actor.ppo_mini_batch_size=$mini actor_rollout_ref.rollout.tensor_model_parallel_size=${tp} \
  data.max_response_length=$tokens actor_rollout_ref.rollout.n=$((2**i)) data.seed=$(( 0x10 + 010 + 5#12 )) trainer.x=$((~1&7|8^3))
