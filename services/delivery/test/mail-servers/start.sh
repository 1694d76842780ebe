#!/bin/sh
# start.sh FOLDER SERVER PORT [SITUATION]: runs a mail server of Debian's packages, extracted into FOLDER/packages, in a root of its
# own: the machine's files with the packages over them, of which nothing stays. In a mount and process namespace (unshare), as root.
set -e
folder=$1 server=$2 port=$3 option=${4:-}
mount -t tmpfs servers "$folder/run"; cd "$folder/run"; mkdir low up work root; cp -a ../packages/. low/
for d in bin sbin lib; do if [ -d low/$d ]; then mkdir -p low/usr/$d; cp -a low/$d/. low/usr/$d/; rm -r low/$d; fi; done
mount -t overlay overlay -o "lowerdir=$PWD/low:/,upperdir=$PWD/up,workdir=$PWD/work" root
mount --rbind /dev root/dev; mount -t proc proc root/proc
id=900
for user in postfix opensmtpd opensmtpq Debian-exim; do
  echo "$user:x:$id:$id::/nonexistent:/usr/sbin/nologin" >> root/etc/passwd; echo "$user:x:$id:" >> root/etc/group; id=$((id + 1))
done
echo 'postdrop:x:950:' >> root/etc/group
case $server in
postfix)
  mkdir -p root/etc/postfix root/var/spool/postfix root/var/lib/postfix
  chown 900 root/var/lib/postfix
  cat > root/etc/postfix/main.cf <<C
compatibility_level = 3.6
myhostname = relay.example.com
mydestination =
virtual_mailbox_domains = example.com
virtual_mailbox_maps = inline:{known@example.com=x}
virtual_transport = discard
default_transport = discard
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination
smtpd_reject_unlisted_sender = $( [ "$option" = sender ] && echo yes || echo no )
maillog_file = /dev/stdout
alias_maps =
alias_database =
C
  cat > root/etc/postfix/master.cf <<C
127.0.0.1:$port inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
discard unix - - n - - discard
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
C
  exec chroot root /usr/sbin/postfix start-fg
  ;;
opensmtpd)
  mkdir -p root/var/lib/opensmtpd/empty root/var/spool/smtpd; chmod 711 root/var/spool/smtpd
  cat > root/etc/smtpd.conf <<C
listen on 127.0.0.1 port $port hostname relay.example.com
table boxes { known@example.com = root }
action keep maildir "/tmp/maildir" virtual <boxes>
match from any for domain "example.com" action keep
C
  chmod 600 root/etc/smtpd.conf
  exec chroot root /usr/sbin/smtpd -d
  ;;
exim)
  mkdir -p root/var/spool/exim4 root/var/log/exim4 root/etc/exim4; chown 903:903 root/var/spool/exim4 root/var/log/exim4
  cat > root/etc/exim4/exim4.conf <<C
primary_hostname = relay.example.com
log_file_path = :syslog
local_interfaces = 127.0.0.1
daemon_smtp_ports = $port
acl_smtp_rcpt = check
acl_smtp_data = take
begin acl
check:
  $( [ "$option" = sender ] && echo require verify = sender )
  require message = relay not permitted
    domains = example.com
  require verify = recipient
  accept
take:
  accept
begin routers
boxes:
  driver = accept
  domains = example.com
  local_parts = known
  transport = drop
elsewhere:
  driver = accept
  domains = ! example.com
  transport = drop
begin transports
drop:
  driver = appendfile
  file = /dev/null
  user = Debian-exim
C
  exec chroot root /usr/sbin/exim4 -bdf -d-all
  ;;
esac
