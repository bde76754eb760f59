export NCCL_DEBUG=WARN
VLLM_ATTENTION_BACKEND=XFORMERS HYDRA_FULL_ERROR=1 env -u NCCL_DEBUG RAY_DEDUP_LOGS=0 \
  python3 -m verl.trainer.main_ppo data.train_batch_size=24
