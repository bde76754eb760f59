#!/usr/bin/env bash
# usage: setup.sh DIR EMBEDDED_MODEL
#
# Makes, under DIR, a real verl from the package index that runs without a GPU:
#   DIR/venv       verl, ray, torch and what they need, pinned (2.4 GB, about 2 minutes)
#   DIR/cudastub   the CUDA libraries that torch links against, each function answering "no device"
#   DIR/assets     a tiny Qwen2 with the tokenizer of EMBEDDED_MODEL, and datasets of repair tasks
# Idempotent: what is there and finished is left alone. Needs Python 3.11 or 3.12, cc and readelf, a package index.
#   PYTHON   the interpreter (the first found)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 2 ] || { sed -n '2,10p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
model=$(cd "$2" && pwd)
venv=$dir/venv
py=$venv/bin/python
stamp() { cat "$@" | sha256sum | cut -c1-16; }

if [ ! -x "$py" ]; then
  for candidate in ${PYTHON:-python3.12 python3.11 "$HOME"/.pyenv/versions/3.12*/bin/python3 "$HOME"/.pyenv/versions/3.11*/bin/python3 python3}; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  [ -n "${python:-}" ] || { echo "no Python 3.11 or 3.12 with venv: set PYTHON" >&2; exit 1; }
  "$python" -m venv "$venv"
fi

want=$(stamp "$here/requirements.txt")
if [ "$(cat "$venv/.installed" 2>/dev/null)" != "$want" ]; then
  "$py" -m pip install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt"
  echo "$want" > "$venv/.installed"
fi

torchlib=$("$py" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/torch/lib
want=$(stamp "$here/cuda_stubs.py" "$venv/.installed")
if [ "$(cat "$dir/cudastub/.made" 2>/dev/null)" != "$want" ]; then
  command -v cc >/dev/null && command -v readelf >/dev/null || { echo "needs cc and readelf (gcc, binutils)" >&2; exit 1; }
  "$py" "$here/cuda_stubs.py" "$torchlib" "$dir/cudastub"
  echo "$want" > "$dir/cudastub/.made"
fi
export LD_LIBRARY_PATH=$dir/cudastub${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

want=$(stamp "$here/make_assets.py" "$model"/tokenizer.json "$model"/chat_template.jinja)
if [ "$(cat "$dir/assets/.made" 2>/dev/null)" != "$want" ]; then
  "$py" -W ignore "$here/make_assets.py" "$model" "$dir/assets"
  echo "$want" > "$dir/assets/.made"
fi
"$py" -W ignore -c 'import importlib.metadata as m; print("verl", m.version("verl"), "ray", m.version("ray"), "torch", m.version("torch"))'
