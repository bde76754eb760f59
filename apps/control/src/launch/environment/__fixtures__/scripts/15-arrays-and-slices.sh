ALL=(a.b=1 "a.c=two words" a.d='[1,2]')
ALL+=("a.e=${#ALL[@]}")
ALL[7]=a.f=last
unset 'ALL[0]'
REST=("${ALL[@]:1:2}")
LIST=$(IFS=,; echo "${ALL[*]}")
python3 -m verl.trainer.main_ppo "${ALL[@]}" "${REST[@]/a./b.}" c.keys="${!ALL[*]}" "c.list='$LIST'" c.last=${ALL[-1]#*=}
