#!/usr/bin/env bash
# The first process of a node, which `up` starts as `node.sh NODE STATE` in network, mount, process and host name namespaces of
# its own: writes the configuration and starts the programs, which end with it. The control plane is on node1.
# shellcheck source=env.sh
. "$(dirname "$0")/env.sh"
node="$1"
folder="$state/$node"
pki="$state/pki"
ip="$(node_ip "$node")"
mkdir -p "$folder"/{logs,containerd,kubelet,cni,cni-state,pod-logs,plugins,sysctl}

# ---- the view of the machine
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/lock
printf '127.0.0.1 localhost\n' >"$folder/hosts"
for other in "${nodes[@]}"; do echo "$(node_ip "$other") $other" >>"$folder/hosts"; done
: >"$folder/resolv.conf"
mount --bind "$folder/kubelet" /var/lib/kubelet
mount --bind "$folder/cni-state" /var/lib/cni
mount --bind "$folder/pod-logs" /var/log
mount --bind "$folder/hosts" /etc/hosts
mount --bind "$folder/resolv.conf" /etc/resolv.conf
# The kubelet sets these for the complete machine where they differ: it reads its own values here, so that nothing changes.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1; do
  file="$folder/sysctl/$(basename "${setting%=*}")"
  echo "${setting#*=}" >"$file"
  mount --bind "$file" "/proc/sys/${setting%=*}"
done
mount --make-rshared /
hostname "$node"
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables

# ---- configuration
cat >"$folder/cni/pods.conflist" <<Y
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [
  { "type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
    "ipam": { "type": "host-local", "ranges": [[{ "subnet": "$(pod_cidr "$node")" }]], "routes": [{ "dst": "0.0.0.0/0" }] } },
  { "type": "portmap", "capabilities": { "portMappings": true } } ] }
Y
# restrict_oom_score_adj: without CAP_SYS_RESOURCE no process can be protected from the kernel's killer.
cat >"$folder/containerd.toml" <<Y
version = 2
root = "$folder/containerd"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$folder/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
Y
# cgroupRoot: each kubelet removes the groups of pods that it does not know.
# Eviction and image collection look at the machine's disk, which others fill; images cannot be pulled again.
cat >"$folder/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $ip
authentication: { anonymous: { enabled: false }, x509: { clientCAFile: $pki/ca.crt }, webhook: { enabled: true } }
authorization: { mode: Webhook }
tlsCertFile: $pki/$node.crt
tlsPrivateKeyFile: $pki/$node.key
clusterDomain: cluster.local
clusterDNS: [$DNS_SERVICE_IP]
resolvConf: $folder/resolv.conf
cgroupDriver: cgroupfs
cgroupRoot: /pinkas-$node
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
volumePluginDir: $folder/plugins
evictionHard: { "memory.available": "200Mi", "nodefs.available": "1%", "imagefs.available": "1%" }
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
serializeImagePulls: false
syncFrequency: 10s
Y

# ---- programs
# start NAME COMMAND…: runs a program, and again when it ends.
start() {
  local name="$1"
  shift
  (while :; do "$@" || true; sleep 1; done) >>"$folder/logs/$name.log" 2>&1 </dev/null &
}
export KUBECACHEDIR="$folder/kubectl"
kube() { kubectl --kubeconfig "$state/admin.kubeconfig" "$@"; }

# In place of a provisioner: a volume whose claim was deleted is emptied for the next claim.
empty_released_volumes() {
  local name phase claim
  local columns=:metadata.name,:status.phase,:spec.claimRef.uid
  kube get pv --watch --no-headers -o custom-columns="$columns" | while read -r name phase claim; do
    # The event of the patch below has the old phase, and no claim.
    [ "$phase" = Released ] && [ "$claim" != '<none>' ] || continue
    find "$state/volumes/$name" -mindepth 1 -delete
    kube patch pv "$name" -p '{"spec":{"claimRef":null}}'
  done
}

# Enforces network policies, and does nothing else. It needs the CIDR of the node's pods.
policies() {
  local cidr
  cidr="$(pod_cidr "$node")"
  until kube patch node "$node" -p "{\"spec\":{\"podCIDR\":\"$cidr\",\"podCIDRs\":[\"$cidr\"]}}"; do sleep 1; done
  kube-router --kubeconfig="$state/admin.kubeconfig" --run-router=false --run-firewall=true --run-service-proxy=false \
    --hostname-override="$node" --service-cluster-ip-range="$SERVICE_CIDR" --enable-ipv6=false --v=1
}

if [ "$node" = node1 ]; then
  start etcd etcd --data-dir "$folder/etcd" --listen-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 \
    --advertise-client-urls http://127.0.0.1:2379 --log-level warn
  start kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$API_IP" --secure-port=6443 \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
    --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --service-cluster-ip-range="$SERVICE_CIDR" --authorization-mode=Node,RBAC \
    --enable-admission-plugins=NodeRestriction --allow-privileged=true --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$pki/service-accounts.pub" --service-account-signing-key-file="$pki/service-accounts.key"
  start kube-controller-manager kube-controller-manager --kubeconfig="$state/kube-controller-manager.kubeconfig" \
    --leader-elect=false --service-cluster-ip-range="$SERVICE_CIDR" --use-service-account-credentials=true \
    --service-account-private-key-file="$pki/service-accounts.key" --root-ca-file="$pki/ca.crt" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key"
  start kube-scheduler kube-scheduler --kubeconfig="$state/kube-scheduler.kubeconfig" --leader-elect=false
  start volumes empty_released_volumes
fi
start containerd containerd --config "$folder/containerd.toml"
start kubelet kubelet --kubeconfig="$state/$node.kubeconfig" --config="$folder/kubelet.yaml" --hostname-override="$node" \
  --node-ip="$ip" --v=2
# Zeros: settings of connection tracking are the machine's.
start kube-proxy kube-proxy --kubeconfig="$state/kube-proxy.kubeconfig" --proxy-mode=iptables --bind-address="$ip" \
  --hostname-override="$node" --cluster-cidr="$CLUSTER_CIDR" --conntrack-max-per-core=0 --conntrack-min=0 \
  --conntrack-tcp-timeout-established=0s --conntrack-tcp-timeout-close-wait=0s
start kube-router policies
# Bash also waits for processes whose parents have ended.
wait
