timeout 3600 numactl --cpunodebind=0 --membind=0 nice -n 5 python3 -X faulthandler -m verl.trainer.main_ppo data.train_batch_size=72
