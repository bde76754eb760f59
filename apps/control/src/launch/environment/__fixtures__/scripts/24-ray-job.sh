export VLLM_USE_V1=1
WORKING_DIR=${WORKING_DIR:-"${PWD}"}
RUNTIME_ENV='{"working_dir": "./", "env_vars": {"NCCL_DEBUG": "INFO", "MY_FLAG": "1"}}'
ray job submit --address="http://10.0.0.9:8265" --no-wait \
    --runtime-env-json="$RUNTIME_ENV" -- \
    python3 -m verl.trainer.main_ppo \
    data.train_batch_size=512 actor_rollout_ref.rollout.n=16 trainer.nnodes=4
