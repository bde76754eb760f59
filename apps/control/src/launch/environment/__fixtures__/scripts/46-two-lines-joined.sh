COMMON="data.train_batch_size=16 \
  data.max_prompt_length=256 \
  actor_rollout_ref.rollout.n=4"
MORE='
  trainer.nnodes=1
  trainer.n_gpus_per_node=2
'
python3 -m verl.trainer.main_ppo ${COMMON} ${MORE}
