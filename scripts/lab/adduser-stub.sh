#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Stands in for adduser, addgroup, useradd and groupadd while a guest root's maintainer scripts run: system accounts only.

next_id() {
	id=100
	while cut -d: -f3 /etc/passwd /etc/group | grep -qx "$id"; do id=$((id + 1)); done
	echo "$id"
}

add_group() {
	grep -q "^$1:" /etc/group || echo "$1:x:${2:-$(next_id)}:" >>/etc/group
}

add_user() {
	grep -q "^$1:" /etc/passwd && return
	uid=${uid:-$(next_id)}
	group=${group:-$1}
	case $group in
	*[!0-9]*)
		add_group "$group" "$uid"
		gid=$(grep "^$group:" /etc/group | cut -d: -f3)
		;;
	*) gid=$group ;;
	esac
	echo "$1:x:$uid:$gid:$gecos:${home:-/nonexistent}:${shell:-/usr/sbin/nologin}" >>/etc/passwd
	[ -z "$home" ] || [ -n "$no_home" ] || [ -e "$home" ] || { mkdir -p "$home" && chown "$uid:$gid" "$home"; }
}

add_member() {
	members=$(grep "^$2:" /etc/group | cut -d: -f4)
	case ",$members," in *",$1,"*) return ;; esac
	sed -i "s/^\($2:[^:]*:[^:]*:\)\(.*\)$/\1\2${members:+,}$1/" /etc/group
}

verb=${0##*/} uid='' group='' home='' shell='' gecos='' no_home='' only_group=''
while [ $# -gt 0 ]; do
	case $1 in
	--uid | -u) uid=$2 && shift ;;
	--gid | --ingroup | -g) group=$2 && shift ;;
	--home | --home-dir | -d) home=$2 && shift ;;
	--shell | -s) shell=$2 && shift ;;
	--gecos | --comment | -c) gecos=$2 && shift ;;
	--no-create-home | -M) no_home=1 ;;
	--group) only_group=1 ;;
	--system | --quiet | --disabled-* | --force-badname | -r | -q) ;;
	--*=*) ;;
	-*) ;;
	*) break ;;
	esac
	shift
done
case $verb in
addgroup | groupadd) if [ -n "${2:-}" ]; then add_member "$1" "$2"; else add_group "$1" "$group"; fi ;;
*)
	if [ -n "${2:-}" ]; then
		add_member "$1" "$2"
	else
		add_user "$1"
		[ -z "$only_group" ] || add_group "$1"
	fi
	;;
esac
exit 0
