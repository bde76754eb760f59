mkdir -p logs
nohup python3 -u -m verl.trainer.main_ppo data.train_batch_size=40 \
  trainer.logger='["console","wandb"]' 2>&1 | tee logs/run_$(date +%s).log
