#!/bin/sh
# Installs Debian packages for their programs only: none of their services is started, now or at the next boot, and no
# database cluster is created. Must run as root.
#
# usage: install-debian.sh PACKAGE...
set -eu

export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 NEEDRESTART_SUSPEND=1

policy=/usr/sbin/policy-rc.d
policy_aside=/usr/sbin/policy-rc.d.before-pinkas
policy_mark='created by pinkas during an installation'
cluster=/etc/postgresql-common/createcluster.conf
cluster_is_ours=no

is_our_policy() { [ -e "$policy" ] && grep -q "$policy_mark" "$policy"; }

restore() {
  if is_our_policy; then rm -f "$policy"; fi
  if [ -e "$policy_aside" ] && [ ! -e "$policy" ]; then mv "$policy_aside" "$policy"; fi
  # Restores the package's own setting.
  if [ "$cluster_is_ours" = yes ]; then
    if [ -e /usr/share/postgresql-common/createcluster.conf ]; then
      cp /usr/share/postgresql-common/createcluster.conf "$cluster"
    else
      rm -f "$cluster"
    fi
  fi
}
trap restore EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# 101 forbids every start of a service by a package's scripts.
if [ -e "$policy" ] && ! is_our_policy; then mv "$policy" "$policy_aside"; fi
printf '#!/bin/sh\n# %s\nexit 101\n' "$policy_mark" > "$policy"
chmod 755 "$policy"

if [ ! -e "$cluster" ]; then
  mkdir -p "$(dirname "$cluster")"
  echo 'create_main_cluster = false' > "$cluster"
  cluster_is_ours=yes
fi

# Another apt may hold the lock for a moment. Old lists may be sufficient, so a failure is not fatal.
attempts=0
until apt-get update; do
  attempts=$((attempts + 1))
  if [ "$attempts" -ge 10 ]; then
    echo 'the package lists could not be refreshed'
    break
  fi
  sleep 6
done

apt-get install --yes --no-install-recommends \
  -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
  "$@"

if [ -d /run/systemd/system ]; then
  for package in "$@"; do
    case $package in
      postgresql | nats-server | redis-server) systemctl disable "$package" || true ;;
    esac
  done
fi
