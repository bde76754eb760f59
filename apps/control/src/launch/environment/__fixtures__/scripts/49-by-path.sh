cd "$(dirname "$0")"
PYTHONPATH=.:$PYTHONPATH python3 verl/trainer/main_ppo.py data.train_batch_size=16 trainer.nnodes=1
