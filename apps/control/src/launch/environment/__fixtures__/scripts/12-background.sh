(
  cd /tmp
  export VLLM_USE_V1=1
  PYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo data.train_batch_size=24 > log.txt 2>&1 &
  wait
)

