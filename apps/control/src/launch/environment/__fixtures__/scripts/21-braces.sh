python3 -m verl.trainer.main_ppo a.{b,c}=1 x{1..3}.y=2 'q.r={a:1,b:2}' {actor,critic}.{lr,wd}=0.{1,2}
