ARGS=(
    data.train_batch_size=64   # prompts
    # data.max_prompt_length=1024

    data.max_response_length=2048 "a.b=# not a comment" a.c=x#y
)
python3 -m verl.trainer.main_ppo "${ARGS[@]}"
