# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The stock kernels of make check and make check-vm: what they need is fetched, and some are left out, by name. Sourced by check.sh.

# make check runs something of each, make check-vm everything.
STOCK_KERNELS='6.1 6.12 7.2'

# That of the release that runs the tests: it is never left out.
OWN_KERNEL=6.1

stock_kernels() { tr ' ' '\n' <<<"$STOCK_KERNELS"; }

stalled_kernels() { # ARCH
	local kernel
	for kernel in $STOCK_KERNELS; do if is_stalled "$1" "$kernel"; then echo "$kernel"; fi; done
}

# for_kernel ARCH KERNEL COMMAND...: what is left out is no failure, and is said.
for_kernel() {
	local why=$OUT/left-out-$1-$2
	if [ -e "$why" ]; then
		cat "$why"
		return "$SKIPPED"
	fi
	"${@:3}"
}

# The release of that kernel with which all cases of make check-vm passed last.
last_passed() { # ARCH KERNEL
	python3 -c 'if 1:
		import json, sys
		rows = json.load(open("docs/measured/kernels.json", encoding="utf-8"))["rows"]
		print(*(row["kernel"] for row in rows if row["target"] == sys.argv[1] and row["passed"] == row["cases"]))' "$1-$2"
}

# is_known ARCH KERNEL VERB: how a new kernel of another release does says nothing of a change. make check waits until it has passed.
is_known() {
	local release last
	[ "$3" = all ] && [ "$2" != "$OWN_KERNEL" ] || return 0
	release=$(cat "$(scripts/lab/fetch-kernel.sh "$1" "$2")/release") && last=$(last_passed "$1" "$2") || return
	if [ -n "$last" ] && dpkg --compare-versions "$release" gt "$last"; then
		echo "$release is newer than $last, which passed last: make check-vm tests it"
		return "$SKIPPED"
	fi
}

fetch_parts() { # ARCH KERNEL VERB
	scripts/lab/fetch-kernel.sh "$1" "$2" && is_known "$@" && scripts/lab/build-kmod.sh --fetch "$1" "$2" &&
		FOR_GUEST=--fetch run_vm "$1" "$2" true
}

# fetch_for ARCH KERNEL VERB: leaves a kernel out if that is how it ends: Debian has moved on, its suite does not
# come, or nobody knows it yet.
fetch_for() {
	local log=$OUT/fetch-$1-$2.log status=0
	fetch_parts "$@" >"$log" 2>&1 </dev/null || status=$?
	case $status in
	0) return ;;
	"$SKIPPED" | "$EX_LOST") ;;
	*) grep -q 'no suite has a kernel' "$log" || return $status ;;
	esac
	[ "$2" != "$OWN_KERNEL" ] || return $status
	echo "left out: $(tail -n 1 "$log")" >"$OUT/left-out-$1-$2"
}

# What builds and machines are going to ask for, all at once: a mirror that is waited for holds up nothing else. Of what does not come
# but cannot be left out, who needs it asks again, and says so.
fetch_ahead() { # VERB
	local arch kernel
	scripts/lab/sysroot.sh arm64 >"$OUT/fetch-sysroot.log" 2>&1 || true
	for kernel in $STOCK_KERNELS; do
		for arch in amd64 arm64; do fetch_for "$arch" "$kernel" "$1" & done
	done
	wait
}

# Beside what follows. It holds no lock of the tree, but one until it has ended (fetched). It is a process group of its own, since a
# terminal interrupts that of the check only; it ends with this check, unless it has ended, and another group may have its number.
begin_fetching() { # VERB
	exec {FETCHING}>"$OUT/fetching"
	flock "$FETCHING"
	set -m
	(exec {TREE_LOCK}>&- && fetch_ahead "$1" </dev/null && flock -u "$FETCHING") &
	set +m
	AHEAD=$!
	exec {FETCHING}>&-
	trap 'flock -n "$OUT/fetching" true || kill -- "-$AHEAD" || true' EXIT
}

# Whatever was fetched ahead is there, and what is left out is known.
fetched() { flock "$OUT/fetching" true; }
