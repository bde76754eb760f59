MODEL=Qwen/Qwen2.5-7B
safe=$(echo "$MODEL" | tr '/' '_' | tr '[:upper:]' '[:lower:]')
gpus=$(echo "0,1,2,3" | tr ',' '\n' | wc -l)
half=$(expr $gpus / 2)
base=$(basename "$MODEL" -7B)
part=$(echo "$MODEL" | cut -d/ -f2)
swap=$(echo a-b-c | sed 's/-/_/g')
last=$(echo "x/y/z" | awk -F/ '{print $NF}')
python3 -m verl.trainer.main_ppo trainer.experiment_name=$safe trainer.n_gpus_per_node=$gpus a.half=$half a.base=$base a.part=$part a.swap=$swap a.last=$last a.dir=$(dirname /a/b/c.txt)
