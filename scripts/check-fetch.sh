#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fetching where the network loses things, and from mirrors that are being renewed: the tries, what is kept and said of them, the step
# that is run again, the kernels that are left out; and apt itself, on loopback, behind a proxy that drops downloads. It reaches no
# other machine.
#
# Usage: check-fetch.sh
# shellcheck disable=SC2317  # functions are handed over by name
set -euo pipefail
# shellcheck source=lab/common.sh
. "$(dirname "$0")/lab/common.sh"
# shellcheck source=check/steps.sh
. "$(dirname "$0")/check/steps.sh"
# shellcheck source=check/kernels.sh
. "$(dirname "$0")/check/kernels.sh"
cd "$REPO_DIR"

WORK=$(mktemp -d)
BAD=0
SUITE=$(own_suite)
ARCH=$(host_arch)
PACKAGES=9

clean_up() {
	[ -z "${MIRROR:-}" ] || kill "$MIRROR"
	rm -rf "$WORK"
}
trap clean_up EXIT

complain() {
	printf 'FAIL: %s\n' "$*"
	BAD=1
}

same() { [ "$2" = "$3" ] || complain "$1: '$2', not '$3'"; }

says() { grep -q "$2" <<<"$1" || complain "not said: '$2' in: $1"; }

# --- a downloader that fails a few times -------------------------------------------------------

LOST='E: Failed to fetch http://mirror/pool/a.deb  Connection failed'
GONE='E: Failed to fetch http://mirror/pool/a.deb  404  Not Found'
RESIZED='E: Failed to fetch http://mirror/a  File has unexpected size (1 != 2). Mirror sync in progress?'
UNMET='The following packages have unmet dependencies:'
UNRELEASED="E: The repository 'http://mirror none Release' does not have a Release file."

# downloader FAILURES MESSAGE: fails so many times, saying that.
downloader() {
	echo >>"$WORK/tries"
	[ "$(wc -l <"$WORK/tries")" -gt "$1" ] && return
	[ -z "$2" ] || printf '%s\n' "$2" "E: Some files failed to download"
	return 100
}

# tries WANTED_STATUS WANTED_TRIES FAILURES MESSAGE WANTED_LOGS [fetch_patiently]
tries() {
	local status=0
	rm -f "$WORK/tries"
	UWIND_CACHE=$WORK/cache "${6:-fetch}" "a thing of sid" "$WORK/log" downloader "$3" "$4" 2>"$WORK/notes" || status=$?
	same "status after $3 failures ($4)" "$status" "$1"
	same "tries after $3 failures ($4)" "$(wc -l <"$WORK/tries")" "$2"
	same "logs kept of $3 failures ($4)" "$(find "$WORK" -name 'log.[0-9]*' | wc -l)" "$5"
}

check_tries() {
	local FETCH_PAUSES='0 0 0 0'
	tries 0 1 0 '' 0
	tries 0 3 2 "$LOST" 2
	says "$(cat "$WORK/notes")" "a thing of sid: try 2 failed, the next is in 0 s: $LOST"
	tries 0 5 4 "$LOST" 4
	tries $EX_LOST 5 5 "$LOST" 5
	tries 0 2 1 '' 1
	tries 0 2 1 'E: Failed to fetch http://mirror/a  503  Service Unavailable' 1
	tries 1 1 9 "$GONE" 0
	tries 1 1 9 "$RESIZED" 0
	tries 1 1 9 'E: Unable to locate package a' 0
	tries 1 1 9 "$UNRELEASED" 0
}

# What waits for a mirror does not wait for another answer.
check_renewals() {
	local FETCH_PAUSES='0 0' RENEWAL_PAUSES='0 0 0' answer
	for answer in "$GONE" "$RESIZED" "$UNMET" 'E: Unable to correct problems, you have held broken packages.'; do
		tries 0 3 2 "$answer" 0 fetch_patiently
		says "$(cat "$WORK/notes")" "a thing of sid: mirror and index differ, the next try is in 0 s: $answer"
		tries $EX_LOST 4 9 "$answer" 0 fetch_patiently
	done
	tries $EX_LOST 3 9 "$LOST" 3 fetch_patiently
	tries 1 1 9 'E: Unable to locate package a' 0 fetch_patiently
	tries 1 1 9 "$UNRELEASED" 0 fetch_patiently
}

# Who has waited for a mirror in vain has done so for everything of it, but not of others, nor for ever.
check_known_renewals() {
	local FETCH_PAUSES='' RENEWAL_PAUSES='0 0.1 0.1'
	rm -rf "$WORK/cache"
	tries $EX_LOST 4 9 "$GONE" 0 fetch_patiently
	tries $EX_LOST 2 9 "${GONE/a.deb/b.deb}" 0 fetch_patiently
	tries 0 2 1 "$GONE" 0 fetch_patiently
	tries $EX_LOST 4 9 "${GONE/mirror/other}" 0 fetch_patiently
	touch -d '40 minutes ago' "$WORK"/cache/renewals/*
	tries $EX_LOST 4 9 "$GONE" 0 fetch_patiently
	rm -rf "$WORK/cache"
}

# One that neither ends nor does anything, but for some of its children, is ended; one that works on is not.
hangs() { echo >>"$WORK/tries" && sleep 1000 | cat; }
works() { for _ in 1 2 3 4 5 6; do head -c 200000 /dev/zero >"$WORK/zeros" && sleep 0.5; done; }

check_silence() {
	local FETCH_PAUSES=0 FETCH_SILENCE=2 status=0
	rm -f "$WORK/tries"
	fetch "a thing of sid" "$WORK/log" hangs 2>"$WORK/notes" || status=$?
	same "status of what hangs" "$status, $(wc -l <"$WORK/tries") tries" "$EX_LOST, 2 tries"
	says "$(cat "$WORK/notes")" "try 1 failed, the next is in 0 s: Failed to fetch: nothing was done for 2 s"
	! pgrep -P $$ sleep >/dev/null || complain "what hangs goes on"
	fetch "a thing of sid" "$WORK/log" works || complain "what works is ended: $(cat "$WORK/log")"
}

# make_mmdebstrap COMMAND: one that does that, in the PATH of who calls it.
make_mmdebstrap() {
	mkdir -p "$WORK/bin"
	printf '#!/bin/sh\n%s\n' "$1" >"$WORK/bin/mmdebstrap"
	chmod +x "$WORK/bin/mmdebstrap"
}

# mmdebstrap hangs up on its whole process group when it fails, and must not on who called it; with whose group it ends.
check_hang_up() {
	local said caller PATH=$WORK/bin:$PATH
	make_mmdebstrap 'kill -HUP 0'
	said=$(setsid --wait bash -c ". '$LAB_DIR/common.sh'; bootstrap sid || echo it goes on" 2>&1) || true
	says "$said" "it goes on"
	make_mmdebstrap "echo \$\$ >'$WORK/pid.new' && mv '$WORK/pid.new' '$WORK/pid' && exec sleep 1000"
	setsid bash -c ". '$LAB_DIR/common.sh'; bootstrap sid" >/dev/null 2>&1 &
	caller=$!
	until [ -e "$WORK/pid" ]; do sleep 0.05; done
	kill -- "-$caller"
	! wait "$caller" || complain "who calls mmdebstrap and is ended says that all is well"
	timeout 60 tail --pid="$(cat "$WORK/pid")" -f /dev/null || complain "mmdebstrap goes on when who called it is ended"
}

# Whoever writes an archive writes more than who reads it needs.
check_unpacking() {
	mkdir "$WORK/unpacked"
	{ tar -c -C "$LAB_DIR" packages.list && head -c 1M /dev/zero; } | from_tar -C "$WORK/unpacked" || complain "an archive with much behind it is not unpacked"
	cmp "$LAB_DIR/packages.list" "$WORK/unpacked/packages.list" || complain "what is unpacked is not what was packed"
	! head -c 1000 /dev/urandom | from_tar -C "$WORK/unpacked" 2>/dev/null || complain "what is no archive is unpacked"
}

check_last_word() {
	local said status=0 FETCH_PAUSES=0 RENEWAL_PAUSES=0
	tries $EX_LOST 2 9 "$LOST" 2
	said=$(UWIND_LOST=$WORK/lost die_fetching $EX_LOST "a thing of sid" "$WORK/log" 2>&1) || status=$?
	same "status of a lost download" "$status" "$EX_LOST"
	says "$said" "a thing of sid did not come in 2 tries: $LOST: .*($WORK/log)"
	says "$(cat "$WORK/lost")" "a thing of sid did not come"
	tries $EX_LOST 2 9 "$GONE" 0 fetch_patiently
	rm "$WORK/lost"
	said=$(UWIND_LOST=$WORK/lost die_fetching $EX_LOST "a thing of sid" "$WORK/log" 2>&1) || status=$?
	same "status of a mirror that is not in order" "$status" "$EX_LOST"
	says "$said" "a thing of sid cannot be had yet: mirror and index differ: $GONE: .*($WORK/log)"
	[ ! -e "$WORK/lost" ] || complain "a mirror that has been waited for is waited for again"
	said=$(die_fetching 1 "a thing of sid" "$WORK/log" 2>&1) || status=$?
	same "status of an answer" "$status" "$EX_CONFIG"
}

# --- steps -------------------------------------------------------------------------------------

# loses TIMES: a step whose download does not come so many times.
loses() {
	echo >>"$WORK/runs"
	[ "$(wc -l <"$WORK/runs")" -gt "$1" ] || (die_fetching "$EX_LOST" "a thing of sid" "$WORK/log")
}

fails() { loses 0 && false; }

fails_first() {
	fails
	true
}

# step_is STATUS RUNS COMMAND...
step_is() {
	local wanted=$1 runs=$2 OUT=$WORK/out
	shift 2
	rm -f "$WORK/runs"
	begin
	step thing "$@" >"$WORK/said"
	same "verdict of $*" "$(cut -d' ' -f1,2 "$OUT/results")" "$wanted thing"
	same "runs of $*" "$(wc -l <"$WORK/runs")" "$runs"
}

# lone_step_is STATUS COMMAND...: as CTest sees it.
lone_step_is() {
	local wanted=$1 OUT=$WORK/out
	shift
	strictly lone_step thing "$@" >"$WORK/said"
	same "status of $*" "$STATUS" "$wanted"
}

passes_over() { echo "it needs a moon" && return 77; }

check_steps() {
	printf '%s\n' "$LOST" >"$WORK/log"
	step_is ok 1 loses 0
	step_is ok 2 loses 1
	says "$(cat "$WORK/said")" "note thing is run again: a thing of sid did not come"
	says "$(cat "$WORK/out/thing.first.log")" "did not come"
	step_is FAIL 2 loses 2
	step_is FAIL 1 fails
	step_is FAIL 1 fails_first
	same "status of a step in a condition" "$(OUT=$WORK/out bash -euc '. "$0" && if lone_step thing true; then :; fi' "$LAB_DIR/../check/steps.sh" 2>&1 || echo $?)" \
		"step thing is in a condition: ask afterwards whether it has passed
70"
	rm -f "$WORK/runs"
	lone_step_is 0 loses 1
	lone_step_is 1 false
	lone_step_is 1 fails_first
	lone_step_is 77 passes_over
	says "$(cat "$WORK/said")" "it needs a moon"
}

# --- kernels -----------------------------------------------------------------------------------

# kernel_is WANTED_STATUS KERNEL STATUS SAID: what becomes of a test for a kernel of which fetching ends so.
kernel_is() {
	local said status=0 OUT=$WORK/kernels ending=$3 words=$4
	fetch_parts() { echo "$words" >&2 && return "$ending"; }
	rm -rf "$OUT"
	mkdir "$OUT"
	fetch_for amd64 "$2" all || true
	said=$(for_kernel amd64 "$2" echo it runs) || status=$?
	same "status of a test for $2 whose fetching ended with $3 ($4)" "$status: $said" "$1"
}

# release_is WANTED_STATUS KERNEL VERB RELEASE: is that what make check, or make check-vm, runs?
release_is() {
	local status=0
	mkdir -p "$WORK/cache/kernels/amd64/$2"
	echo "$4" >"$WORK/cache/kernels/amd64/$2/release"
	UWIND_CACHE=$WORK/cache is_known amd64 "$2" "$3" >"$WORK/said" || status=$?
	same "status of $4 in $3" "$status" "$1"
}

check_kernels() {
	local last
	kernel_is '0: it runs' 7.2 0 ''
	kernel_is "77: left out: debs.sh: a root of sid cannot be had yet" 7.2 $EX_LOST 'debs.sh: a root of sid cannot be had yet'
	kernel_is "77: left out: 7.2.99 is newer" 6.12 $SKIPPED '7.2.99 is newer'
	kernel_is "77: left out: no suite has a kernel 7.2" 7.2 $EX_CONFIG 'no suite has a kernel 7.2'
	kernel_is '0: it runs' 7.2 $EX_CONFIG 'the cache cannot be written to'
	kernel_is '0: it runs' 6.1 $EX_LOST 'debs.sh: a package of bookworm cannot be had yet'
	last=$(last_passed amd64 7.2)
	release_is 0 7.2 all "$last"
	release_is $SKIPPED 7.2 all "${last%%+*}.1+deb14-amd64"
	says "$(cat "$WORK/said")" "is newer than $last, which passed last: make check-vm tests it"
	release_is 0 7.2 check-vm "${last%%+*}.1+deb14-amd64"
	release_is 0 6.1 all 6.1.0-999-amd64
	rm -rf "$WORK/cache"
}

# What is fetched ahead ends with the check that it is for.
check_ahead() {
	mkdir "$WORK/ahead"
	(
		OUT=$WORK/ahead
		exec {TREE_LOCK}>"$OUT/lock"
		fetch_ahead() { bash -c 'echo $$ >"$1/new" && mv "$1/new" "$1/pid" && exec sleep 1000' fetching "$OUT"; }
		begin_fetching all
		until [ -e "$OUT/pid" ]; do sleep 0.05; done
	)
	timeout 60 tail --pid="$(cat "$WORK/ahead/pid")" -f /dev/null || complain "fetching goes on when its check is over"
}

# --- apt ---------------------------------------------------------------------------------------

start_mirror() {
	local address=
	"$REPO_DIR/tests/network/mirror.py" "$WORK/mirror" "$SUITE" "$ARCH" "$PACKAGES" >"$WORK/address" &
	MIRROR=$!
	until [ -n "$address" ]; do
		kill -0 "$MIRROR" || die "the mirror does not start"
		sleep 0.05
		address=$(cat "$WORK/address")
	done
	mkdir -p "$WORK/apt/lists/partial"
	echo "deb $address $SUITE main" >"$WORK/apt/sources.list"
	cat >"$WORK/apt/conf" <<-CONF
		Dir::State "$WORK/apt";
		Dir::Etc::sourcelist "$WORK/apt/sources.list";
		Dir::Etc::sourceparts "$WORK/none";
		Acquire::AllowInsecureRepositories "true";
		APT::Get::AllowUnauthenticated "true";
	CONF
}

# behind_proxy EVERY DEBS_ARGUMENT...: debs.sh, and each download of that number is dropped.
behind_proxy() {
	APT_CONFIG=$WORK/apt/conf UWIND_CACHE=$WORK/cache UWIND_FETCH_PAUSES='0 0' UWIND_RENEWAL_PAUSES=${PAUSES-0 0} UWIND_FETCH_SILENCE=15 \
		"$REPO_DIR/tests/network/dropping_proxy.py" --direct --every "$1" -- "$LAB_DIR/debs.sh" "${@:2}"
}

# debs EVERY PACKAGE: what debs.sh says of it behind the proxy, and in STATUS how it ended.
debs() {
	STATUS=0
	SAID=$(behind_proxy "$1" "$ARCH" "$2" 2>&1) || STATUS=$?
}

# Who waits for a mirror holds up nobody who wants something else of it.
check_waiting() { # PACKAGE: the mirror does not have its file
	local waiter
	: >"$WORK/said"
	set -m
	PAUSES='0 1000' behind_proxy 0 "$ARCH" "$1" >"$WORK/said" 2>&1 &
	set +m
	waiter=$!
	until grep -q 'the next try is in 1000 s' "$WORK/said"; do
		kill -0 "$waiter" || die "nobody waits for a mirror: $(cat "$WORK/said")"
		sleep 0.05
	done
	behind_proxy 0 --suite "$SUITE" "$ARCH" noise1 >"$WORK/other" 2>&1 &
	timeout 60 tail --pid=$! -f /dev/null || complain "who waits for a mirror holds up others"
	kill -- "-$waiter"
	wait $! || complain "beside one who waits: $(cat "$WORK/other")"
	wait "$waiter" 2>/dev/null || true
}

check_apt() {
	start_mirror
	debs 1 noise$PACKAGES
	same "status of a network that is gone" "$STATUS" "$EX_LOST"
	says "$SAID" "the package index of apt's own sources did not come in 3 tries: .*sources.log"
	APT_CONFIG=$WORK/apt/conf apt-get -qq update 2>/dev/null # now the machine's apt knows where Debian is
	debs 1 noise$PACKAGES
	same "status of an index that does not come" "$STATUS" "$EX_LOST"
	says "$SAID" "the package index for $ARCH of $SUITE did not come in 3 tries: .*update.log"
	debs 3 noise$PACKAGES
	same "status with every third download dropped" "$STATUS: $(grep -c '/noise[0-9]*_1_.*deb$' <<<"$SAID")" "0: $PACKAGES"
	says "$SAID" 'dropped (reset [1-9][0-9]*, empty [1-9][0-9]*, cut [1-9]'
	debs 3 quiet
	same "status of a package that does not exist" "$STATUS" "$EX_CONFIG"
	says "$SAID" "packages for $ARCH of $SUITE: Unable to locate package quiet"
	rm -rf "$WORK/cache/debs"/*.deb
	debs 1 noise2
	same "status of packages that do not come" "$STATUS" "$EX_LOST"
	says "$SAID" "packages for $ARCH of $SUITE (noise2) did not come in 3 tries: E: Failed to fetch .*download.log"
	echo 2 >"$WORK/mirror/pool/noise2_1_$ARCH.deb.absent"
	debs 0 noise2
	same "status of a package that comes at the third try" "$STATUS" 0
	says "$SAID" "packages for $ARCH of $SUITE (noise2): mirror and index differ, the next try is in 0 s: E: Failed to fetch .* 404 "
	rm -rf "$WORK/cache/debs"/*.deb "$WORK/mirror/pool/noise2_1_$ARCH.deb"
	check_waiting noise2
	debs 0 noise2
	same "status of a package that the mirror has no more" "$STATUS" "$EX_LOST"
	says "$SAID" "packages for $ARCH of $SUITE (noise2) cannot be had yet: mirror and index differ: E: Failed to fetch .* 404 "
	debs 0 orphan
	same "status of a package whose dependencies are missing" "$STATUS" "$EX_LOST"
	says "$SAID" "packages for $ARCH of $SUITE (orphan) cannot be had yet: .*held broken packages"
}

check_tries
check_renewals
check_known_renewals
check_silence
check_hang_up
check_unpacking
check_last_word
check_steps
check_kernels
check_ahead
check_apt
exit $BAD
