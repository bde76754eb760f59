SEEDS=(11 22 33)
i=${SLURM_ARRAY_TASK_ID:-1}
python3 -m verl.trainer.main_ppo data.seed=${SEEDS[i]} trainer.experiment_name=seed${SEEDS[$((i+1))]}
