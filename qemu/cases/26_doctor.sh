# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The doctor names what is wrong with a machine, what mends it, and says so in its exit status.
# Expected: 10 s
. ./lib.sh

# examine STATUS COMMAND...: what it finds is in found.txt.
examine() {
	wanted=$1 got=0
	shift
	"$@" >found.txt 2>&1 || got=$?
	[ "$got" = "$wanted" ] || fail "the doctor's status is $wanted, not $got: $(cat found.txt)"
}

finds() { grep -qE "$1" found.txt || fail "the doctor finds '$1': $(cat found.txt)"; }

as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups uwind doctor; }

examine 0 uwind doctor
cat found.txt
! grep -q '^missing' found.txt || fail "nothing is missing: $(cat found.txt)"
finds '^ok +module +version .*, ABI [0-9]+'
finds '^ok +device +/dev/uwind is root:[a-z]+ 06'
finds '^ok +self '
if [ -e /sys/kernel/btf/uwind ]; then finds '^ok +btf '; else finds '^warning +btf '; fi # 6.1's headers are without
finds "^ok +kernel +$(uname -r | sed 's/[.+]/\\&/g') on "
examine 0 uwind doctor --format json
python3 -c 'import json; d = json.load(open("found.txt")); assert d["module_loaded"] and len(d["findings"]) == 11, d' ||
	fail "the same as JSON: $(cat found.txt)"

# Nobody may open the device; who may sees the own processes.
examine 1 as_nobody
finds '^missing +device +.*nobody may not open it; .*; to mend: '
mode=$(stat -c %a /dev/uwind)
chmod 666 /dev/uwind
examine 0 as_nobody
finds '^ok +device '
finds '^warning +privilege +nobody has no CAP_PERFMON; so you see only your own processes'
chmod 600 /dev/uwind
examine 1 as_nobody
finds '^missing +device +/dev/uwind is root:[a-z]+ 0600'
chmod "$mode" /dev/uwind

# Something less than all of root's privileges.
examine 0 setpriv --inh-caps=-all --bounding-set=-sys_ptrace uwind doctor
finds '^warning +privilege +root has no CAP_SYS_PTRACE; so '

# The kernel lowers this by itself where a sample takes long.
rate=/proc/sys/kernel/perf_event_max_sample_rate
before=$(cat $rate)
echo 500 >$rate
examine 0 uwind doctor
finds '^warning +sampling +.* is 500; .*sysctl kernel.perf_event_max_sample_rate='
echo "$before" >$rate

remove_module "after the doctor"
examine 69 uwind doctor
finds '^missing +module +is not loaded.*; so .*; to mend: .*modprobe uwind'
examine 69 uwind doctor --format json

# What the kernel was built with, and what it locks, shown as another kernel would.
mkdir -p /boot
config=/boot/config-$(uname -r)
[ ! -e "$config" ] || cp "$config" config.saved
printf 'CONFIG_%s=y\n' MODULES NET TRACEPOINTS MMU_NOTIFIER >"$config"
examine 69 uwind doctor
finds '^missing +options +the kernel was built without CONFIG_PERF_EVENTS; so '
echo 'CONFIG_PERF_EVENTS=y' >>"$config"
examine 69 uwind doctor
finds '^ok +options '
rm "$config"
[ ! -e config.saved ] || mv config.saved "$config"

echo 'none [integrity] confidentiality' >locked
locked_down() {
	unshare -m sh -c "mount -t securityfs securityfs /sys/kernel/security &&
		mount --bind '$PWD/locked' /sys/kernel/security/lockdown && exec uwind doctor"
}
can_lock() { grep -q securityfs /proc/filesystems; }
if can_lock; then
	examine 69 locked_down
	finds '^missing +signing +lockdown is integrity; .*uwind.ko is not signed; so .*; to mend: sign it'
fi

insert_module
if can_lock; then
	examine 0 locked_down
	finds '^ok +signing +lockdown is integrity, and the module was accepted'
fi
