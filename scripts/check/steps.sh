# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Named steps and what they count. Sourced by check.sh.

# record STATUS NAME SECONDS: what the closing line counts.
record() {
	printf '%s %s %s\n' "$1" "$2" "$3" >>"$OUT/results"
	if [ "$1" = ok ]; then
		printf 'ok   %s (%s s)\n' "$2" "$3"
	else
		printf 'FAIL %s (%s s) log: %s\n' "$2" "$3" "${OUT#"$PWD"/}/${4:-$2}.log"
	fi
}

# Why a step failed: a guest's cases that did, each with the lines before it, and the log's end.
reason_in() { # LOG
	grep -aE -B 5 '^FAIL [0-9]' "$1" | tail -n 60 || true
	tail -n 15 "$1"
}

# step NAME COMMAND...: run it with its output in a log. Always succeeds; the failure is on record.
step() {
	local name=$1 start=$SECONDS
	shift
	if ("$@") >"$OUT/$name.log" 2>&1 </dev/null; then
		record ok "$name" $((SECONDS - start))
	else
		record FAIL "$name" $((SECONDS - start))
		reason_in "$OUT/$name.log" | sed 's/^/     | /'
	fi
}

passed() { grep -qx "ok $1 [0-9]*" "$OUT/results"; }

# absorb PREFIX LOG: the lines "ok NAME SECONDS" and "FAIL NAME SECONDS" that a guest printed are tests too.
absorb() {
	local status name seconds
	while read -r status name seconds; do
		record "$status" "$1-$name" "${seconds:-0}" "$2"
	done < <(grep -aE '^(ok|FAIL) [0-9]+_[a-z_0-9]+ [0-9]+$' "$OUT/$2.log" || true)
}

begin() {
	mkdir -p "$OUT"
	: >"$OUT/results"
}

all_passed() { grep -q '^ok ' "$OUT/results" && ! grep -q '^FAIL ' "$OUT/results"; }

finish() {
	printf '%s passed, %s failed\n' "$(grep -c '^ok ' "$OUT/results" || true)" "$(grep -c '^FAIL ' "$OUT/results" || true)"
	all_passed
}
