printf -v STEP '%03d' 7
ids=$(seq -s, 0 3)
python3 -m verl.trainer.main_ppo trainer.experiment_name="s$STEP" profile.ranks="[$ids]" a.b=$(printf '%s-%d' x 5) a.f=$(printf '%.2f' 0.5)
