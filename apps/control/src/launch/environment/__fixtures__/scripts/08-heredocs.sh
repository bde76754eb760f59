cat > conf.env <<'EOF'
export TRAIN_BATCH=48
LR=3e-6
EOF
source conf.env
read -r -d '' OPTS <<EOF || true
data.train_batch_size=$TRAIN_BATCH
actor_rollout_ref.actor.optim.lr=$LR
EOF
python3 -m verl.trainer.main_ppo $OPTS actor_rollout_ref.rollout.n=4
