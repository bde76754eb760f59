usage() { echo "usage: $0 [-n N]"; exit 1; }
N=3; B=9
while getopts "n:b:h" opt; do
  case $opt in n) N=$OPTARG ;; b) B=$OPTARG ;; h) usage ;; esac
done
shift $((OPTIND - 1))
while [[ $# -gt 0 ]]; do case "$1" in --n) N=$2; shift 2 ;; *) usage ;; esac; done
python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.n=$N data.train_batch_size=$B
