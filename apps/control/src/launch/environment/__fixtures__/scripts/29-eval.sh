N=12
CMD="python3 -m verl.trainer.main_ppo"
CMD="$CMD data.train_batch_size=\$N"
CMD+=" trainer.project_name='my proj'"
eval "$CMD" actor_rollout_ref.rollout.n=2
