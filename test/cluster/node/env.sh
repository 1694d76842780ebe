# Sourced by the scripts of this folder: versions, addresses and folders.
# shellcheck shell=bash disable=SC2034 # the scripts use the variables
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
repository="$(cd "$here/../../.." && pwd)"
# The cache: bin, src and logs. `down` deletes `state` alone.
CLUSTER_HOME="${CLUSTER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/pinkas-cluster}"
CLUSTER_HOME="$(realpath -m "$CLUSTER_HOME")"
# Bare clones of the source trees that the Go proxy does not have: <owner>+<name>/repo.
CLUSTER_SOURCES="${CLUSTER_SOURCES:-$CLUSTER_HOME/sources}"
state="$CLUSTER_HOME/state"
PATH="$CLUSTER_HOME/bin:/usr/local/go/bin:/usr/local/sbin:/usr/sbin:/sbin:$PATH"

# A program that is in the cache is not built again: run `down --all` after a change of a version.
KUBERNETES_VERSION=1.32.13 # 1.35 refuses cgroup v1
HELM_VERSION=3.17.4
COREDNS_VERSION=1.12.1
KUBE_ROUTER_VERSION=2.5.0
NATS_VERSION=2.11.10
NATS_CHART_VERSION=1.3.16
NACK_VERSION=0.22.4 # has the reloader 0.20.1
CNPG_VERSION=1.26.0
VERSITYGW_VERSION=1.7.0
node_image="$(sed -n 's/^ARG NODE_IMAGE=/localhost\//p' "$repository/deploy/Dockerfile")"

# Network namespaces: one for each node, and one whose bridge connects them. It has no way out.
bridge_namespace=pinkas-cluster
nodes=(node1 node2)
ROUTER_IP=10.199.0.254
INTERNET_IP=203.0.113.10 # accepts connections at 443, in place of the internet
CLUSTER_CIDR=10.200.0.0/16
SERVICE_CIDR=10.201.0.0/16
API_IP=10.199.0.1
API_SERVICE_IP=10.201.0.1
DNS_SERVICE_IP=10.201.0.10 # also in coredns.yaml
node_ip() { echo "10.199.0.${1#node}"; }
pod_cidr() { echo "10.200.${1#node}.0/24"; }
# The network namespace of a node is pinkas-<node>, and so is its group of processes.

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
log() { printf '%s %s\n' "$(date +%T)" "$*"; }

# step NAME COMMAND…: prints how long it took. Its output is in a log, whose last lines are printed when it fails.
step() {
  local name="$1" started=$SECONDS
  step_log="$CLUSTER_HOME/logs/${1// /-}.log"
  shift
  exec 3>&2 # for end_of_step: where the command exits, its redirection is still in force
  # Not in a condition, where `set -e` has no effect.
  "$@" >"$step_log" 2>&1
  step_log=
  log "$name: $((SECONDS - started)) s"
}
end_of_step() {
  if [ -n "${step_log:-}" ]; then
    tail -n 6 "$step_log" >&3
    echo "failed, see $step_log" >&3
  fi
}
trap end_of_step EXIT

# within SECONDS WHAT LOG COMMAND…: repeats a command until it succeeds.
within() {
  local until=$((SECONDS + $1)) seconds="$1" what="$2" file="$3"
  shift 3
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$until" ] || fail "$what not ready within $seconds s: see $file"
    sleep 0.5
  done
}

# first_process NAME: the process that `up` recorded, if it still runs. The id may by now be that of another process.
first_process() {
  local first
  first="$(cat "$state/$1.pid" 2>/dev/null)" && grep -qaF "$state" "/proc/$first/cmdline" 2>/dev/null && echo "$first"
}

# in_node NODE COMMAND…: runs a command in the namespaces of a node.
in_node() {
  local node="$1"
  shift
  nsenter -t "$(cat "$state/$node.pid")" --net --mount --pid --uts -- "$@"
}

# cgroups_of NODE create|remove: the group of a node's pods, in each hierarchy of cgroup v1 or in the one of v2.
cgroups_of() {
  local parent group
  for parent in /sys/fs/cgroup /sys/fs/cgroup/*/; do
    [ -e "$parent/cgroup.procs" ] && [[ "$parent" != */pinkas-node* ]] || continue
    group="${parent%/}/pinkas-$1"
    if [ "$2" = create ]; then
      mkdir -p "$group"
      # As on a machine of its own: otherwise each thread of the node's own programs weighs as much as all of its pods.
      [ ! -e "$group/cpu.shares" ] || echo 20480 > "$group/cpu.shares"
      [ ! -e "$group/cpu.weight" ] || echo 2000 > "$group/cpu.weight"
    elif [ -d "$group" ]; then
      # Groups of processes that were just killed are busy for a moment.
      within 30 "the removal of $group is" "$group/cgroup.procs" find "$group" -depth -type d -exec rmdir {} +
    fi
    # Of v2, a folder below the root is a group of another program.
    [ ! -e /sys/fs/cgroup/cgroup.procs ] || break
  done
}

[ "$(id -u)" = 0 ] || fail "nodes in namespaces need root: run this as root"
mkdir -p "$CLUSTER_HOME"/{bin,src,logs}
