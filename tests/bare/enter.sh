#!/bin/sh
# In namespaces of their own, where all mounts and processes end with the command: mount what a system has and what is
# handed in (to read only), and run a command there as one of its users.
#   enter.sh ROOT USER rw|ro PATH... -- COMMAND...
set -eu
root=$1 user=$2 access=$3
shift 3
export PATH="$PATH:/usr/sbin:/sbin" # ordinary users of Debian do not find chroot
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then
    mkdir -p "$root$1"
  else
    mkdir -p "$(dirname "$root$1")"
    [ -e "$root$1" ] || : > "$root$1"
  fi
  mount --bind "$1" "$root$1"
  mount -o remount,bind,ro "$root$1"
  shift
done
shift
if [ "$access" = ro ]; then # as an image is: one folder to work in, all else to read
  for writable in study tmp; do mount --bind "$root/$writable" "$root/$writable"; done
  mount -o remount,bind,ro "$root"
fi
exec chroot --userspec="$user" "$root" "$@"
