#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# On a machine that lacks something: the doctor names it, and what mends it.
#
# Usage: guest.sh absent | forbidden | without_option | locked_down
fail() {
	echo "not so: $*: $(cat /tmp/found)" >&2
	exit 1
}

# examine STATUS [COMMAND]...: what the doctor finds is in /tmp/found, and shown.
examine() {
	wanted=$1 got=0
	shift
	"$@" uwind doctor >/tmp/found 2>&1 || got=$?
	cat /tmp/found
	[ "$got" = "$wanted" ] || fail "the doctor's status is $wanted, not $got"
}

# missing CHECK WORDS: that is missing, for this reason.
missing() { grep -qE "^missing +$1 +$2" /tmp/found || fail "$1 is missing: $2"; }

# alone CHECK: nothing else is missing but the module, where that is the consequence.
alone() { ! grep -E '^missing' /tmp/found | grep -qvE "^missing +($1|module) " || fail "only $1 is missing"; }

case $1 in
absent)
	[ ! -e /sys/module/uwind ] || fail "the module is not there"
	examine 69
	missing module "is not loaded, and there is none for $(uname -r | sed 's/[.+]/\\&/g')"
	alone module
	;;
forbidden)
	chmod 600 /dev/uwind
	examine 1 setpriv --reuid=65534 --regid=65534 --clear-groups
	missing device '.*/dev/uwind is root:[a-z]+ 0600'
	alone device
	;;
without_option)
	examine 69
	missing options 'the kernel was built without .*CONFIG_MMU_NOTIFIER'
	grep -E '^missing +options' /tmp/found | grep -q "use Debian's kernel" || fail "what mends it"
	alone options
	;;
locked_down)
	mount -t securityfs securityfs /sys/kernel/security
	! insmod "/lib/modules/$(uname -r)/updates/dkms/uwind.ko" 2>/tmp/refused || fail "the kernel refuses the module"
	cat /tmp/refused
	examine 69
	missing signing 'lockdown is integrity; .*/uwind.ko is not signed'
	alone signing
	;;
*)
	echo "usage: guest.sh absent | forbidden | without_option | locked_down" >&2
	exit 64
	;;
esac
