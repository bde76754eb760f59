ARGS="trainer.foo=8 trainer.bar=4"
ARGS+=" trainer.nnodes=2"
ARGS="$ARGS
    data.train_batch_size=32   data.max_prompt_length=512"
python3 -m verl.trainer.main_ppo $ARGS
