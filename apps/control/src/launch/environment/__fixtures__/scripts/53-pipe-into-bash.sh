N=5
bash <<EOF
export INNER=1
python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.n=$N data.train_batch_size=\$((N2+1))
EOF
echo "python3 scripts/later.py a=1" | cat
