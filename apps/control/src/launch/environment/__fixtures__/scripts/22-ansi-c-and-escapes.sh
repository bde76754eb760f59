t=$'tab\there'
python3 -m verl.trainer.main_ppo a.b=$'line\'s' a.c=sp\ ace a.d="es\"c\$aped\\n" a.e='a'"b"'c' a.f="$t" a.g=a\
b a.h="x\
y"
