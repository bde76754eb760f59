set -euo pipefail
n=4
train() {
  local n=${1:?how many} lr=$2; shift 2
  local -a own=("actor_rollout_ref.rollout.n=$n" actor_rollout_ref.actor.optim.lr=${lr})
  python3 -m verl.trainer.main_ppo "${own[@]}" "$@" trainer.experiment_name="run-${n}-$#"
}
unused() { python3 -m verl.trainer.main_ppo trainer.nnodes=99; }
train 8 5e-7 data.train_batch_size=128 "trainer.project_name=my project"
echo $n
