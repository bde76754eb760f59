files="/a/1.parquet /a/2.parquet"
list="[$(printf "'%s'," $files)]"
list=${list/,]/]}
opts='--config-name=ppo_trainer'
python3 -m verl.trainer.main_ppo $opts data.train_files="$list" data.n=$(echo $files | wc -w) data.one=$(set -- $files; echo $2)
