NGPUS=8; ROLL=2
python3 -m verl.experimental.one_step_off_policy.main_ppo --config-name=one_step_off_ppo_megatron_trainer.yaml \
  actor_rollout_ref.hybrid_engine=False rollout.nnodes=1 rollout.n_gpus_per_node=$ROLL trainer.n_gpus_per_node=$((NGPUS-ROLL)) \
  actor_rollout_ref.actor.megatron.param_offload=True
