export A=1
python3 -m verl.trainer.main_ppo \
  data.train_batch_size=64 \
  trainer.nnodes=2
