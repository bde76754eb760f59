for lr in 1e-6; do
  for n in 4; do
    python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.optim.lr=$lr actor_rollout_ref.rollout.n=$n
  done
done
