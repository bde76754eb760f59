set -e
[ 1 = 2 ] && echo never
false || true
if ! grep -q x <<< "abc"; then B=16; fi
(( 0 )) || C=3
python3 -m verl.trainer.main_ppo data.train_batch_size=$B actor_rollout_ref.rollout.n=$C
false
python3 -m verl.trainer.main_ppo never.here=1
