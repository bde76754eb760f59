#!/usr/bin/env bash
# Starts a real Kubernetes on this machine, its state, logs, pids and kubeconfig under DIR, and prints the line to eval.
# Run again, it starts only what is not running. stop.sh DIR ends it.
# usage: start.sh DIR [--port N] [--node kubelet|kwok]
#   kubelet  pods really run, on a containerd of their own (one such cluster a machine)
#   kwok     pods only pretend to run; a thousand of them cost nothing
# K8S_DIR: a folder with bin/kubehere or prebuilt/kubehere.xz, etcd, Kubernetes and its kubelet in one binary; beside it
# kwok or kwok.xz, with kwok-stages.yaml.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: start.sh DIR [--port N] [--node kubelet|kwok]}; shift
port=16443 node=kubelet
while [ $# -gt 0 ]; do
  case $1 in
    --port) port=$2 ;; --node) node=$2 ;;
    *) echo "start.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
source "$here/lib.sh"
source "$here/node.sh"
binary kubehere
bin=$K8S_BIN/kubehere
mkdir -p "$dir"/{pki,log,pid}; dir=$(cd "$dir" && pwd)
[ ${#dir} -le 70 ] || { echo "start.sh: $dir is too long for a unix socket (70 characters at most)" >&2; exit 1; }
export KUBECONFIG=$dir/kubeconfig

etcd=http://127.0.0.1:$((port + 1)) peer=http://127.0.0.1:$((port + 2))
certificates
launch etcd "$bin" etcd --name here --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
  --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
  --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "here=$peer"
# Asked again until it answers: one that was killed a moment ago still looks alive at the first look.
api_server() {
  launch kube-apiserver "$bin" kube-apiserver --etcd-servers "$etcd" --secure-port "$port" \
    --advertise-address "$bridge_ip" --service-cluster-ip-range 10.96.0.0/16 \
    --tls-cert-file "$dir/pki/apiserver.crt" --tls-private-key-file "$dir/pki/apiserver.key" \
    --client-ca-file "$dir/pki/ca.crt" --token-auth-file "$dir/pki/tokens.csv" --authorization-mode Node,RBAC \
    --kubelet-client-certificate "$dir/pki/admin.crt" --kubelet-client-key "$dir/pki/admin.key" \
    --kubelet-preferred-address-types InternalIP --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$dir/pki/sa.key" --service-account-signing-key-file "$dir/pki/sa.key"
  kubectl get --raw /readyz
}
until_ok "the API server" api_server
launch kube-controller-manager "$bin" kube-controller-manager --kubeconfig "$KUBECONFIG" \
  --root-ca-file "$dir/pki/ca.crt" --service-account-private-key-file "$dir/pki/sa.key" \
  --bind-address 127.0.0.1 --secure-port $((port + 3)) --leader-elect=false --kube-api-qps 500 --kube-api-burst 1000
launch kube-scheduler "$bin" kube-scheduler --kubeconfig "$KUBECONFIG" \
  --bind-address 127.0.0.1 --secure-port $((port + 4)) --leader-elect=false --kube-api-qps 500 --kube-api-burst 1000
until_ok "the default service account" kubectl -n default get serviceaccount default
case $node in
  kubelet) kubelet_node; busybox_image ;;
  kwok) kwok_node ;;
  *) echo "start.sh: --node is kubelet or kwok, not $node" >&2; exit 2 ;;
esac
echo "export KUBECONFIG=$KUBECONFIG"
