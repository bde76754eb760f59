shopt -s extglob
MODEL=Qwen3-30B-A3B
case "$MODEL" in
  *[Bb]ase) k=1 ;;
  Qwen3-@(4B|8B)) k=2 ;;
  Qwen3-*-A?B|Other) k=3 ;;&
  *30B*) m=30 ;;
  *) m=0 ;;
esac
[[ $MODEL =~ ^Qwen[0-9]+-([0-9]+)B ]] && r=yes
[[ $MODEL != *Base* ]] && b=no
python3 -m verl.trainer.main_ppo a.k=$k a.m=$m a.r=$r a.b=$b data.files=/data/*.parquet a.q=what?
