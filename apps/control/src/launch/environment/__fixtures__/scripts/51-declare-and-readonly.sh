declare -i total=4*2
total+=1
declare -u NAME=abc
readonly LR=1e-5
declare -x EXPORTED=yes
typeset T=5
python3 -m verl.trainer.main_ppo a.total=$total a.name=$NAME a.lr=$LR a.t=$T
