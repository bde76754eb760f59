# Sourced by start.sh and stop.sh: processes by pid file, waiting, certificates.

# Where pods reach the machine: the bridge that CNI makes for them.
bridge=kubehere0 bridge_ip=10.88.0.1 pod_cidr=10.88.0.0/24

# Unpacked once, beside what else the suites set up.
K8S_BIN=${K8S_BIN:-$here/../../../../.liverl/reality/k8s}
binary() { # name
  [ -x "$K8S_BIN/$1" ] && return
  mkdir -p "$K8S_BIN"
  # Under another name until it is whole: another suite may unpack it at the same time.
  if [ -x "${K8S_DIR:-}/bin/$1" ]; then cp "$K8S_DIR/bin/$1" "$K8S_BIN/$1.$$"
  elif [ -f "${K8S_DIR:-}/prebuilt/$1.xz" ]; then xz -dc "$K8S_DIR/prebuilt/$1.xz" > "$K8S_BIN/$1.$$"
  else echo "start.sh: K8S_DIR has neither bin/$1 nor prebuilt/$1.xz" >&2; exit 1; fi
  chmod +x "$K8S_BIN/$1.$$"
  mv "$K8S_BIN/$1.$$" "$K8S_BIN/$1"
}

# A dead process that its parent has not reaped yet does not run.
running() { [ -f "$dir/pid/$1" ] && grep -qs '^State:.[^ZX]' "/proc/$(cat "$dir/pid/$1")/status"; }

launch() { # name, command...: unless it runs already
  local name=$1; shift
  running "$name" && return
  setsid nohup "$@" >> "$dir/log/$name.log" 2>&1 < /dev/null &
  echo $! > "$dir/pid/$name"
}

until_ok() { # what, command...
  local what=$1; shift
  for _ in $(seq 1 300); do "$@" > /dev/null 2>&1 && return; sleep 0.2; done
  echo "start.sh: $what did not come up in 60 s, see $dir/log" >&2; exit 1
}

sign() { # name, subject, extension
  openssl req -new -newkey rsa:2048 -nodes -keyout "$dir/pki/$1.key" -subj "$2" 2> /dev/null |
    openssl x509 -req -CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key" -CAcreateserial -days 3650 \
      -extfile <(echo "$3") -out "$dir/pki/$1.crt" 2> /dev/null
}

certificates() {
  [ -f "$KUBECONFIG" ] && return
  local pki=$dir/pki token
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$pki/ca.key" -out "$pki/ca.crt" -days 3650 -subj /CN=kubehere \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature 2> /dev/null
  sign apiserver /CN=kube-apiserver \
    "subjectAltName=IP:127.0.0.1,IP:$bridge_ip,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc"
  sign admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
  openssl genrsa -out "$pki/sa.key" 2048 2> /dev/null
  token=$(openssl rand -hex 16)
  echo "$token,admin,admin,system:masters" > "$pki/tokens.csv"
  {
    kubectl config set-cluster here --server "https://127.0.0.1:$port" --certificate-authority "$pki/ca.crt" --embed-certs
    kubectl config set-credentials admin --token "$token"
    kubectl config set-context here --cluster here --user admin
    kubectl config use-context here
  } > /dev/null
}
