# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The service as its unit starts it: it tells when it samples, reads its configuration again, and the capabilities that are
# left to it are enough for other users' programs.
# Expected: 40 s
. ./lib.sh

# Those of daemon/systemd/uwindd.service.
LEFT=-all,+perfmon,+sys_ptrace,+checkpoint_restore,+dac_read_search,+net_admin

heard() { grep -q "$1" heard.txt; }
heard_times() { [ "$(grep -c "$1" heard.txt)" -ge "$2" ]; }
logged() { grep -q "$1" log.txt; }
reports() { find "$1" -name '*.json' 2>/dev/null | sort; }
newest_is() { [ "$(reports "$1" | wc -l)" -ge "$2" ]; }
keeps() { one_keeps "$1" schema balance samples:sframe_victim:20 complete:sframe_victim:95 chain:sframe_victim:work_sort:main; }

# A program that only its owner may read, in a folder that only its owner may enter.
chmod 755 "$WORK"
mkdir -m 700 private
cp $PROGRAMS/sframe_victim private/
chmod 700 private/sframe_victim
chown -R 65534:65534 private
setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/private/sframe_victim" 300 &
victim=$!

python3 "$CASES/notify_listener.py" "$WORK/socket" heard.txt &
until_true $PATIENCE test -S "$WORK/socket" || fail "the listener listens"
printf 'interval = 2\ndir = %s\n' "$WORK/first" >uwindd.conf
NOTIFY_SOCKET=$WORK/socket WATCHDOG_USEC=4000000 setpriv --inh-caps=-all --bounding-set=$LEFT \
	uwindd --config "$WORK/uwindd.conf" >log.txt 2>&1 &
service=$!
until_true $PATIENCE heard '^READY=1' || fail "the service says that it is ready: $(cat heard.txt log.txt)"
want "it samples then" is_sampling
until_true $PATIENCE newest_is first 2 || fail "reports go where the configuration says: $(cat log.txt)"
until_true $PATIENCE heard_times '^WATCHDOG=1' 2 || fail "it gives signs of life: $(cat heard.txt)"
until_true $PATIENCE heard '^STATUS=[0-9]* samples in [0-9]* s, ' || fail "it tells its figures: $(cat heard.txt)"
until_true $PATIENCE keeps first || keeps first || fail "its reports are good"

# What is wrong is refused, in words; the service goes on as before.
printf 'intervall = 2\nfrequency = 0\n' >uwindd.conf
kill -HUP $service
until_true $PATIENCE logged "uwindd.conf:1: there is no key 'intervall': did you mean 'interval'" ||
	fail "a wrong configuration is named: $(cat log.txt)"
want "so is its other mistake" logged "uwindd.conf:2: frequency is '0', but must be a number from 1 to 100000"
want_status "the same is said beforehand" 78 sh -c 'uwindd --check-config --config uwindd.conf 2>said.txt'
before=$(reports first | wc -l)
until_true $PATIENCE newest_is first $((before + 2)) || fail "the old configuration holds: $(cat log.txt)"

# Another folder and frequency: the old recording's last report, then a new session.
printf 'interval = 2\nfrequency = 199\ndir = %s\n' "$WORK/second" >uwindd.conf
kill -HUP $service
until_true $PATIENCE newest_is second 3 || fail "the new configuration holds: $(cat log.txt)"
full=$(reports second | tail -n 1)
grep -q '"frequency_hz": 199' "$full" || fail "the new frequency holds: $(head -c 600 "$full")"
until_true $PATIENCE keeps second || keeps second || fail "its reports are good"
want "one session is left" is_sampling
[ "$(grep -c '^RELOADING=1 MONOTONIC_USEC=[0-9]*$' heard.txt)" = 2 ] || fail "each reload is told: $(cat heard.txt)"
[ "$(grep -c '^READY=1' heard.txt)" = 3 ] || fail "and so is its end: $(cat heard.txt)"

kill -TERM $service
want_status "the service ends well" 0 wait $service
want "it says that it stops" heard '^STOPPING=1'
kill $victim
