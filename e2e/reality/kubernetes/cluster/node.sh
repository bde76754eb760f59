# Sourced by start.sh: the two kinds of node, and the images of the real one.

kubelet_node() {
  local node=$dir/node; mkdir -p "$node/cni"
  for package in containerd runc iptables busybox-static containernetworking-plugins; do
    dpkg -s "$package" > /dev/null 2>&1 || apt-get install -y --no-install-recommends "$package" > "$dir/log/apt-$package.log" 2>&1
  done
  containerd_config > "$node/containerd.toml"
  cni_config > "$node/cni/10-here.conflist"
  kubelet_config > "$node/kubelet.yaml"
  launch containerd containerd --config "$node/containerd.toml"
  until_ok containerd ctr --address "$node/containerd.sock" version
  pause_image
  launch kubelet "$bin" kubelet --config "$node/kubelet.yaml" --kubeconfig "$KUBECONFIG" \
    --root-dir "$node/kubelet" --cert-dir "$node/pki" --hostname-override here
  launch kube-proxy "$bin" kube-proxy --kubeconfig "$KUBECONFIG" --hostname-override here --proxy-mode iptables \
    --cluster-cidr "$pod_cidr" --conntrack-max-per-core 0 \
    --metrics-bind-address 127.0.0.1:$((port + 5)) --healthz-bind-address 127.0.0.1:$((port + 6))
  until_ok "the node" kubectl wait --for=condition=Ready node/here --timeout=1s
}

# The same status for every pod at once, as kwok's own stages have it; nothing can be run in one.
kwok_node() {
  local stages
  binary kwok
  for stages in "$K8S_DIR"/{bin,prebuilt}/kwok-stages.yaml; do [ ! -f "$stages" ] || break; done
  kubectl apply -f - > /dev/null <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: fake, labels: {kubernetes.io/hostname: fake, type: kwok}}
status: {allocatable: &size {cpu: "1000", memory: 10Ti, ephemeral-storage: 100Ti, pods: "2000"}, capacity: *size}
YAML
  launch kwok "$K8S_BIN/kwok" --kubeconfig "$KUBECONFIG" --manage-all-nodes --config "$stages"
  until_ok "the node" kubectl wait --for=condition=Ready node/fake --timeout=1s
}

# Without restrict_oom_score_adj no pod starts here: this machine's root lacks CAP_SYS_RESOURCE.
containerd_config() {
  cat <<TOML
version = 2
root = "$node/containerd"
state = "$node/containerd-state"
[grpc]
  address = "$node/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/here/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$node/cni"
TOML
}

# firewall lets pods out where Docker has set the FORWARD policy to DROP.
cni_config() {
  cat <<JSON
{"cniVersion": "0.4.0", "name": "here", "plugins": [
  {"type": "bridge", "bridge": "$bridge", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$node/cni-leases", "routes": [{"dst": "0.0.0.0/0"}],
            "ranges": [[{"subnet": "$pod_cidr", "gateway": "$bridge_ip"}]]}},
  {"type": "firewall"}]}
JSON
}

kubelet_config() {
  cat <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$node/containerd.sock
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
volumePluginDir: $node/volume-plugins
podLogsDir: $node/pod-logs
YAML
}

# The pause image of every pod: busybox alone, asleep.
pause_image() { image here/pause:1 '["/bin/busybox","sleep","2147483647"]'; }

# What the suite's pods run.
busybox_image() { image here/busybox:1 '["/bin/sh"]'; }

image() { # name, command
  local work sum applet; work=$(mktemp -d); mkdir -p "$work/root/bin" "$work/root/tmp"
  cp /bin/busybox "$work/root/bin/"
  for applet in $(/bin/busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$work/root/bin/$applet"; done
  tar -C "$work/root" --owner 0 --group 0 -cf "$work/layer.tar" bin tmp
  sum=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  echo '{"architecture":"amd64","os":"linux","config":{"Cmd":'"$2"',"Env":["PATH=/bin"]},
    "rootfs":{"type":"layers","diff_ids":["sha256:'"$sum"'"]}}' > "$work/config.json"
  echo '[{"Config":"config.json","RepoTags":["'"$1"'"],"Layers":["layer.tar"]}]' > "$work/manifest.json"
  tar -C "$work" -c manifest.json config.json layer.tar |
    ctr --address "$dir/node/containerd.sock" -n k8s.io images import - > /dev/null
  rm -rf "$work"
}
