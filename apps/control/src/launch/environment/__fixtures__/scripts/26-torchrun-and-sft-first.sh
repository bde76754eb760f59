torchrun --standalone --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer data.train_files=/sft.parquet trainer.nnodes=1
python3 examples/data_preprocess/gsm8k.py --local_dir /data
python3 -m verl.trainer.main_ppo data.train_files=/rl.parquet trainer.nnodes=2
python3 -m verl.model_merger merge --backend fsdp
