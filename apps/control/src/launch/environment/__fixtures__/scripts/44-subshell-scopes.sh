x=1
(x=2; y=3)
{ z=4; }
echo 5 | read w
f() { x=10; local q=9; }
f
python3 -m verl.trainer.main_ppo a.x=$x a.y=${y:-none} a.z=$z a.w=${w:-none} a.q=${q:-none}
