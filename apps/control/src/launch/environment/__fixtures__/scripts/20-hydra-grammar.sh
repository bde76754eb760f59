python3 -m verl.trainer.main_ppo \
  trainer.logger=['console','wandb'] \
  "data.train_files=['/d/a b.parquet', '/d/c.parquet']" \
  '+actor_rollout_ref.rollout.engine_kwargs.vllm={max_num_seqs: 64, enable_x: true}' \
  ++actor_rollout_ref.model.override_config.attn_implementation=eager \
  +data.apply_chat_template_kwargs.enable_thinking=False \
  ~critic.model.lora \
  algorithm.kl_ctrl.kl_coef=1.e-3 data.path="'quoted'" a.null=null a.empty= a.eq=b=c a.dollar='\$x'
