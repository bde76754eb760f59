BS=96
bash -c "python3 -m verl.trainer.main_ppo data.train_batch_size=$BS 'trainer.project_name=a b' actor_rollout_ref.rollout.n=3"
