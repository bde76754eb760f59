[ -n "$LR" ] || LR=2e-6
: "${N:=6}"
: ${BATCH:=48}
[[ -v MODE ]] || MODE=sync
[[ -z ${WANDB_MODE:-} ]] && LOGGER='[console]'
python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.optim.lr=$LR actor_rollout_ref.rollout.n=$N data.train_batch_size=$BATCH trainer.v1.trainer_mode=$MODE trainer.logger=$LOGGER
