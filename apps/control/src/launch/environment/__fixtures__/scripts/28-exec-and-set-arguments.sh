set -- data.train_batch_size=8 "$@"
set -- "$@" actor_rollout_ref.rollout.n=2
exec python3 -m verl.trainer.main_ppo "$@"
python3 -m verl.trainer.main_ppo never.here=1
