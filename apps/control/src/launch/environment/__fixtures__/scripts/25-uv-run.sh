EXTRAS=(--extra vllm --extra fsdp)
LAUNCH=(uv run --frozen --all-packages "${EXTRAS[@]}" python3)
"${LAUNCH[@]}" -m verl.trainer.main_ppo data.train_batch_size=512 ray.py="uv -v run ${EXTRAS[*]}"
