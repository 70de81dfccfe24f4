#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: runs the demo's programs in two waves under one recording of everything, until each has been busy long enough.
#
# Usage: demo-guest.sh OUTDIR        BUSY=SECONDS of processor time for each program (default 11)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1 busy=${BUSY:-11}
ticks_per_second=$(getconf CLK_TCK)
mkdir -p "$out"
cd /tmp

# cpu_ticks PID: user plus system time; fails if it has ended. No process name here has a blank.
cpu_ticks() {
	read -r stat <"/proc/$1/stat" || return 1
	# shellcheck disable=SC2086  # fields
	set -- $stat
	ticks=$((${14} + ${15}))
}

# end_if_busy PID: 0 when it was ended, 1 when it needs more time, 2 when it ended by itself, which it should not.
end_if_busy() {
	cpu_ticks "$1" 2>/dev/null || return 2
	[ "$ticks" -ge $((busy * ticks_per_second)) ] || return 1
	kill -TERM "$1"
}

# wait_for_wave NAME:PID...
wait_for_wave() {
	while [ $# -gt 0 ]; do
		sleep 1
		for job in "$@"; do
			shift
			result=0
			end_if_busy "${job#*:}" || result=$?
			case $result in
			1) set -- "$@" "$job" ;;
			2) echo "demo: ${job%:*} ended too early" >&2 && return 1 ;;
			esac
		done
	done
}

# About four megabytes of text and noise, again and again.
text() {
	head -c 20000 /dev/urandom >/tmp/noise
	set -- "$here/demo-work/work.py" /tmp/noise "$here/demo-work/work.pl"
	cat "$@" "$@" "$@" "$@" "$@" "$@" "$@" "$@" "$@" "$@" "$@" "$@" >/tmp/part
	set -- /tmp/part /tmp/part /tmp/part /tmp/part
	while cat "$@" "$@" "$@" "$@"; do :; done
}

interpreters() {
	python3 "$here/demo-work/work.py" >/dev/null &
	wave="python3:$!"
	perl "$here/demo-work/work.pl" >/dev/null &
	wave="$wave perl:$!"
	gawk -f "$here/demo-work/work.awk" >/dev/null &
	wave="$wave gawk:$!"
	sqlite3 :memory: <"$here/demo-work/work.sql" >/dev/null &
	wave="$wave sqlite3:$!"
	# shellcheck disable=SC2086  # a list
	wait_for_wave $wave
}

compiled() {
	openssl speed -seconds 8 sha256 aes-256-cbc rsa2048 ecdsap256 >/dev/null 2>&1 &
	wave="openssl:$!"
	mkfifo /tmp/text
	text >/tmp/text 2>/dev/null &
	feeder=$!
	xz -9 --lzma2=preset=9,dict=8MiB -T1 -c </tmp/text >/dev/null &
	wave="$wave xz:$!"
	"$here/programs/sframe_victim" &
	wave="$wave sframe_victim:$!"
	"$here/programs/dlopen_victim" 1000 $((busy / 2 + 1)) &
	wave="$wave dlopen_victim:$!"
	# shellcheck disable=SC2086  # a list
	wait_for_wave $wave
	kill "$feeder" 2>/dev/null || true
	rm -f /tmp/text /tmp/noise /tmp/part
}

uwind record -v -a -F 499 -o "$out/report.json" --duration 900 >"$out/record.log" 2>&1 &
recorder=$!
# A recorder that fails to begin ends.
until grep -q 'sampling has begun' "$out/record.log"; do
	kill -0 $recorder 2>/dev/null || { cat "$out/record.log" >&2 && exit 1; }
	sleep 0.1
done
status=0
compiled || status=1
interpreters || status=1
kill -TERM $recorder
wait $recorder || status=1
sed '/sampling has begun/d' "$out/record.log"
uwind report -i "$out/report.json" --format folded >"$out/stacks.folded" || status=1
uwind report -i "$out/report.json" --format summary || status=1
exit $status
