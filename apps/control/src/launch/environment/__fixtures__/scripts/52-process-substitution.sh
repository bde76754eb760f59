mapfile -t A < <(printf '%s\n' a.b=1 a.c=2)
source <(echo 'Q=7')
python3 -m verl.trainer.main_ppo "${A[@]}" a.q=$Q
