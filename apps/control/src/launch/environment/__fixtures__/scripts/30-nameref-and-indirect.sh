add() { local -n target=$1; shift; target+=("$@"); }
ARGS=()
add ARGS data.train_batch_size=20 a.b=1
BATCH_small=4; which=BATCH_small
python3 -m verl.trainer.main_ppo "${ARGS[@]}" actor_rollout_ref.rollout.n=${!which}
