docker exec -e VLLM_USE_V1=1 -it trainer bash -c 'python3 -m verl.trainer.main_ppo data.train_batch_size=56 actor_rollout_ref.rollout.n=8'
