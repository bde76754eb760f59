tries=0
until [ $tries -ge 3 ]; do tries=$((tries+1)); [ $tries -eq 2 ] && break; done
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; s+=$i; done
for ((j=0; j<3; j++)); do arr[j]=v.$j=$((j*j)); done
python3 -m verl.trainer.main_ppo a.tries=$tries a.s=$s "${arr[@]}"
