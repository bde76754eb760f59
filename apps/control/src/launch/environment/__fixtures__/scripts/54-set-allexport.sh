set -a
VLLM_LOGGING_LEVEL=INFO
set +a
NOT_EXPORTED=1
python3 -m verl.trainer.main_ppo data.train_batch_size=16
