path=/data/models/Qwen2.5-7B-Instruct/
path=${path%/}
name=${path##*/}
dir=${path%/*}
lower=${name,,}
dashed=${lower//./-}
first=${name:0:4}
python3 -m verl.trainer.main_ppo trainer.experiment_name=${dashed}_${first^^} a.dir="$dir" a.len=${#name} a.tail=${name: -8} \
  a.ext=${name#*.} a.ext2=${name%%-*} a.rep=${name/#Qwen/Q} a.end=${name/%Instruct/I} a.q=${lower^} a.alt=${UNSET:+no}${name:+yes} a.cut=${name//[0-9.]/}
