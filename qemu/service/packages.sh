#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with systemd: both packages are installed from files, the module is built by DKMS, the service samples a stock
# program, survives being killed, takes over its configuration, and purging leaves nothing.
#
# Usage: packages.sh PACKAGE.deb...
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

REPORTS=/var/lib/uwind/reports
CONFIG=/etc/uwind/uwindd.conf
INTERVAL=10 # seconds, the default

fail() {
	printf 'not so: %s\n' "$*" >&2
	journalctl --no-pager -u uwindd -n 30 >&2
	exit 1
}

say() { printf '== %s (%s s since boot)\n' "$*" "$(cut -d. -f1 /proc/uptime)"; }

# until_true SECONDS COMMAND...
until_true() {
	local end=$(($(cut -d. -f1 /proc/uptime) + $1))
	shift
	until "$@"; do
		[ "$(cut -d. -f1 /proc/uptime)" -lt $end ] || return 1
		sleep 0.5
	done
}

# Folders and files but dpkg's and apt's books, logs, caches, the key that DKMS makes once, and the group, which stays.
snapshot() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /root -o -path /out -o -path /var/log \
		-o -path /var/cache -o -path /var/tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/systemd \
		-o -path '/var/lib/dkms/mok.*' -o -path '/etc/group*' -o -path '/etc/gshadow*' \) -prune -o -printf '%p %y %m %U %G\n' | sort
}

# reports QUESTION: of all reports of the service, oldest first.
reports() { python3 "$(dirname "$0")/reports.py" "$REPORTS" "$@"; }

sampled() { reports complete python3 >/dev/null 2>&1; }

install_packages() {
	local built
	snapshot >/tmp/before
	apt-get -q -y install --no-install-recommends "$@" >/tmp/apt.log 2>&1 || fail "apt installs $*: $(tail -n 20 /tmp/apt.log)"
	built=$(dkms status)
	[[ $built =~ ^uwind/.*\ "$(uname -r)",\ .*:\ installed ]] || fail "DKMS has built the module: $built"
	say "installed, $built"
}

check_device() {
	systemctl restart systemd-modules-load
	udevadm settle
	grep -q '^uwind ' /proc/modules || fail "the module is loaded at boot"
	[ "$(stat -c '%a %U:%G' /dev/uwind)" = '660 root:uwind' ] || fail "the group may open the device: $(ls -l /dev/uwind)"
	[ "$(stat -c '%a' /dev/uwind-self)" = 666 ] || fail "everybody may open the other: $(ls -l /dev/uwind-self)"
}

check_service() {
	systemd-run --quiet --unit=busy --uid=nobody python3 -c 'while True: sorted(str(i) for i in range(1000))'
	systemctl start uwindd || fail "the service starts"
	until_true 120 sampled || fail "a report shows python3's stacks: $(ls -l $REPORTS)"
	[ "$(stat -c '%a %U:%G' /var/lib/uwind $REPORTS | sort -u)" = '750 root:uwind' ] || fail "the group may read reports: $(ls -ld $REPORTS)"
	say "sampled: $(reports complete python3)"
}

pid_of_service() { systemctl show -P MainPID uwindd; }

restarted() { [ "$(pid_of_service)" != 0 ] && [ "$(pid_of_service)" != "$1" ] && systemctl -q is-active uwindd; }

check_kill() {
	local pid count
	pid=$(pid_of_service)
	kill -KILL "$pid"
	until_true 120 restarted "$pid" || fail "systemd starts a killed service again"
	count=$(find $REPORTS -name '*.json' | wc -l)
	more() { [ "$(find $REPORTS -name '*.json' | wc -l)" -gt "$count" ]; }
	until_true 120 more || fail "it writes reports again"
	say "killed and healed: the longest gap between samples is $(reports gap) s, of which $INTERVAL are an unfinished report's"
}

frequency_is() { [ "$(reports frequency)" = "$1" ]; }

check_reload() {
	echo 'frequency = 199' >>$CONFIG
	systemctl reload uwindd || fail "the configuration is read again"
	until_true 120 frequency_is 199 || fail "the new frequency holds: $(reports frequency)"
	echo 'frequncy = 5' >>$CONFIG
	! systemctl reload uwindd 2>/dev/null || fail "a wrong configuration is refused"
	journalctl --no-pager -u uwindd | grep -q 'frequency' || fail "and says what was meant"
	systemctl -q is-active uwindd || fail "the service goes on with the old one"
	sed -i '$d' $CONFIG
	say "reloaded"
}

check_purge() {
	apt-get -q -y purge uwind uwind-dkms >/tmp/apt.log 2>&1 || fail "apt purges: $(tail -n 20 /tmp/apt.log)"
	! grep -q '^uwind ' /proc/modules || rmmod uwind
	systemctl stop busy
	snapshot >/tmp/after
	diff /tmp/before /tmp/after || fail "purging leaves nothing (> is left, < is missing)"
	[ -z "$(systemctl list-units --all --no-legend 'uwindd*')" ] || fail "systemd has forgotten the service: $(systemctl list-units --all 'uwindd*')"
	say "purged"
}

[ $# != 0 ] || { echo "usage: packages.sh PACKAGE.deb..." >&2 && exit 64; }
say "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), systemd $(systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')"
install_packages "$@"
check_device
check_service
check_kill
check_reload
check_purge
