IFS=, read -ra PARTS <<< "data.train_batch_size=4,actor_rollout_ref.rollout.n=2"
mapfile -t LINES <<'EOF'
a.b=1
a.c=two words
EOF
while IFS='=' read -r key value; do PARTS+=("k.$key=$value"); done <<< $'x=1\ny=2'
python3 -m verl.trainer.main_ppo "${PARTS[@]}" "${LINES[@]}"
