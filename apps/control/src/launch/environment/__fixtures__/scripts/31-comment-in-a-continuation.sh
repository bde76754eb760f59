python3 -m verl.trainer.main_ppo \
    data.train_batch_size=64 \
    # data.max_prompt_length=1024 \
    data.max_response_length=2048 \
    actor_rollout_ref.rollout.n=8
