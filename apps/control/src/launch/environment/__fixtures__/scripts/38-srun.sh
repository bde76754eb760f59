#!/bin/bash
#SBATCH --nodes=2
#SBATCH --export=ALL
export NCCL_IB_DISABLE=1
srun --nodes=2 --ntasks-per-node=1 --export=ALL,EXTRA_FLAG=7 python3 -m verl.trainer.main_ppo trainer.nnodes=2 data.train_batch_size=72
