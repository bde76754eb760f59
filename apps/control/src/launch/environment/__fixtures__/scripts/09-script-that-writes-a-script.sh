N=6
cat <<EOF > run_inner.sh
#!/bin/bash
set -x
python3 -m verl.trainer.main_ppo \\
    actor_rollout_ref.rollout.n=$N \\
    data.train_batch_size=\$((N2 * 2))
EOF
export N2=32
bash run_inner.sh
