#!/usr/bin/env bash
# Ends what start.sh started in DIR, its pods too; --purge removes DIR. Touches no process it did not start.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$(cd "${1:?usage: stop.sh DIR [--purge]}" && pwd) || exit
source "$here/lib.sh"
end() { # name...
  local name
  for name in "$@"; do running "$name" && kill -KILL "$(cat "$dir/pid/$name")"; done
  for name in "$@"; do while running "$name"; do sleep 0.05; done; rm -f "$dir/pid/$name"; done
}
ctl() { ctr --address "$dir/node/containerd.sock" -n k8s.io "$@" 2> /dev/null; }

had_proxy=$(running kube-proxy && echo yes)
end kwok kubelet kube-proxy kube-scheduler kube-controller-manager kube-apiserver etcd
[ -z "$had_proxy" ] || "$K8S_BIN/kubehere" kube-proxy --cleanup > "$dir/log/cleanup.log" 2>&1
if running containerd; then
  ctl tasks ls -q | xargs -rI{} ctr --address "$dir/node/containerd.sock" -n k8s.io tasks kill -s KILL {} 2> /dev/null
  ctl tasks ls -q | xargs -rI{} ctr --address "$dir/node/containerd.sock" -n k8s.io tasks delete -f {} > /dev/null 2>&1
  ctl containers ls -q | xargs -r ctr --address "$dir/node/containerd.sock" -n k8s.io containers delete
  end containerd
  ip link delete "$bridge" 2> /dev/null
fi
awk -v under="$dir/" 'index($2, under) == 1 {print $2}' /proc/mounts | sort -r | xargs -r umount
[ "${2:-}" != --purge ] || rm -rf "$dir"
