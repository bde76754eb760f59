set -u
EXTRA=()
LORA=${LORA:-1}
if ((LORA)); then EXTRA+=(actor_rollout_ref.model.lora_rank=32 actor_rollout_ref.model.lora_alpha=16); fi
NONE=()
python3 -m verl.trainer.main_ppo "${EXTRA[@]+"${EXTRA[@]}"}" ${NONE[@]+"${NONE[@]}"} "${NONE[@]:-a.b=1}" ${DEBUG:+a.debug=True a.more=1} x.y=${Z-zz}
