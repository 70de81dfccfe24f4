# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Named steps and what they count. Sourced by check.sh.
#
# $OUT/results has a line for each test, in the order in which they ended; names have no blanks, REASON is the rest of the line:
#   ok NAME SECONDS
#   FAIL NAME SECONDS
#   skip NAME REASON

# A test of CTest that returns this is skipped; it has said why.
SKIPPED=77

# record ok|FAIL NAME SECONDS [LOG], or record skip NAME REASON: what the closing lines count.
record() {
	printf '%s %s %s\n' "$1" "$2" "$3" >>"$OUT/results"
	case $1 in
	ok) printf 'ok   %s (%s s)\n' "$2" "$3" ;;
	skip) printf 'skip %s (%s)\n' "$2" "$3" ;;
	*) printf 'FAIL %s (%s s) log: %s\n' "$2" "$3" "${OUT#"$PWD"/}/${4:-$2}.log" ;;
	esac
}

# Why a step failed: a guest's cases that did, each with the lines before it, and the log's end.
reason_in() { # LOG
	grep -aE -B 30 '^not ok [0-9]' "$1" | tail -n 60 || true
	tail -n 15 "$1"
}

# A function ends with the first of its commands that fails, but where a condition asks how it ended: there, and in all that is called
# there, bash goes on, and a step would pass whatever fails. So it is refused.
refuse_condition() { # NAME
	local status
	set +e
	(
		set -e
		false
		exit 42
	)
	status=$?
	set -e
	if [ $status = 42 ]; then
		echo "step $1 is in a condition: ask afterwards whether it has passed" >&2
		exit 70
	fi
}

# strictly COMMAND...: STATUS is how it ended.
strictly() {
	set +e
	(
		set -e
		"$@"
	)
	STATUS=$?
	set -e
}

# try_step NAME COMMAND...: STATUS is how it ended. One whose download did not come (scripts/lab/common.sh) left word of that in
# UWIND_LOST, and is run once more.
try_step() {
	local log=$OUT/$1.log first=$OUT/$1.first.log UWIND_LOST=$OUT/$1.lost
	export UWIND_LOST
	refuse_condition "$1"
	rm -f "$UWIND_LOST"
	strictly "${@:2}" >"$log" 2>&1 </dev/null
	if [ $STATUS = 0 ] || [ ! -s "$UWIND_LOST" ]; then return; fi
	mv "$log" "$first"
	printf 'note %s is run again: %s; its first log: %s\n' "$1" "$(head -1 "$UWIND_LOST")" "${first#"$PWD"/}"
	strictly "${@:2}" >"$log" 2>&1 </dev/null
}

# lone_step NAME COMMAND...: a test of CTest, which counts. Its output is in a log; what fails says why, what is skipped, too, and
# what had several cases how many (summary.py).
lone_step() {
	mkdir -p "$OUT"
	try_step "$@"
	case $STATUS in
	0) tail -n 1 "$OUT/$1.log" | grep '^cases: ' || true ;;
	"$SKIPPED") tail -n 1 "$OUT/$1.log" ;;
	*)
		reason_in "$OUT/$1.log"
		echo "log: ${OUT#"$PWD"/}/$1.log"
		;;
	esac
	return "$STATUS"
}

# step NAME COMMAND...: run it with its output in a log. Always succeeds; the failure is on record.
step() {
	local start=$SECONDS
	try_step "$@"
	if [ $STATUS = 0 ]; then
		record ok "$1" $((SECONDS - start))
	else
		record FAIL "$1" $((SECONDS - start))
		reason_in "$OUT/$1.log" | sed 's/^/     | /'
	fi
}

passed() { grep -qx "ok $1 [0-9]*" "$OUT/results"; }

# absorb PREFIX LOG CONSOLE: what became of a guest's cases are tests too. None of them is tried again.
absorb() {
	local status name said
	while read -r status name said; do
		record "${status/WRONG/FAIL}" "$1-$name" "$said" "$2"
	done < <(scripts/check/verdicts.py "$OUT/$2.log" "$3")
}

begin() {
	mkdir -p "$OUT"
	: >"$OUT/results"
}

all_passed() { grep -q '^ok ' "$OUT/results" && ! grep -q '^FAIL ' "$OUT/results"; }

# What was skipped is said before the last line, which is for those who only count.
finish() {
	local skipped
	skipped=$(sed -n 's/^skip \([^ ]*\) \(.*\)/\1 (\2)/p' "$OUT/results")
	[ -z "$skipped" ] || printf '%s skipped: %s\n' "$(wc -l <<<"$skipped")" "${skipped//$'\n'/, }"
	printf '%s passed, %s failed\n' "$(grep -c '^ok ' "$OUT/results" || true)" "$(grep -c '^FAIL ' "$OUT/results" || true)"
	all_passed
}
