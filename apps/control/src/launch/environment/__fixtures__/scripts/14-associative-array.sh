declare -A SIZE=([small]=16 [large]="128")
SIZE[huge]=512
which=large
for key in "${!SIZE[@]}"; do [[ $key == small ]] && small=${SIZE[$key]}; done
python3 -m verl.trainer.main_ppo data.train_batch_size=${SIZE[$which]} data.val_batch_size=${SIZE[huge]} data.gen=${#SIZE[@]} data.s=$small
