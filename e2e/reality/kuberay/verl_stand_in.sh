#!/bin/sh
# Stands in for the interpreter of verl's image: prints as verl does. It trains nothing.
# STAND_IN_STEP_S: seconds a step; STAND_IN_STEPS: how many, instead of those planned; STAND_IN_EXIT: how it ends.
printf 'argv'
for word in "$@"; do printf ' <%s>' "$word"; done
echo
steps=$(printf '%s\n' "$@" | sed -n 's/^trainer.total_training_steps=//p')
echo "look adapter=$(ls "$PYTHONPATH/liverl_verl" | wc -l) loops=$(grep -c /etc/liverl/secret/trainer.token "$PYTHONPATH/agent_loops.yaml") tokens=$(cat /etc/liverl/secret/*.token | wc -c) secret=$STAND_IN_TOKEN shm=$(mount | grep -c ' /dev/shm ')"
# Bytes that a follower may break: colours, wide characters, long lines, carriage returns, no newline at the end.
printf '\033[31mcolour\033[0m — é 漢字 🙂\n\n  \r50%%\r100%%\r\n'
head -c 50000 /dev/zero | tr '\0' x
echo
i=1
while [ "$i" -le "${STAND_IN_STEPS:-$steps}" ]; do
  sleep "${STAND_IN_STEP_S:-0.2}"
  seq 1 20 | sed "s/^/(WorkerDict pid=7) line of step $i: /"
  echo "(TaskRunner pid=7) step:$i - actor/pg_loss:0.5 - training/global_step:$i - critic/score/mean:nan"
  i=$((i + 1))
done
[ -z "$STAND_IN_EXIT" ] || echo "RuntimeError: the sandbox pool is gone" >&2
printf 'no newline at the end'
exit "${STAND_IN_EXIT:-0}"
