A=${A:-${B:-${C:-"x y"}}}
D=${D:-$(echo "deep")/$((1+2))}
E=${E:-'single $A'}
F="${F:-"in $A"}"
G=${G:=set}
python3 -m verl.trainer.main_ppo a.a="$A" a.d=$D a.e="$E" a.f="$F" a.g=$G "a.h=${H:-'q'}"
