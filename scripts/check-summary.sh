#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the tests' closing lines say of each verdict that CTest knows, by a project of eight tests.
#
# Usage: check-summary.sh
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(verdicts NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME bad COMMAND sh -c "echo what was wrong; exit 1")
add_test(NAME passed-over COMMAND sh -c "echo it needs a moon; exit 77")
add_test(NAME broken-build COMMAND false)
add_test(NAME unbuilt COMMAND true)
add_test(NAME many COMMAND sh -c "echo all is well; echo 'cases: 20 passed, 0 failed, 2 skipped: they need a sun'")
add_test(NAME many-bad COMMAND sh -c "echo one is wrong; echo 'cases: 30 passed, 3 failed, 0 skipped'; exit 3")
add_test(NAME many-none COMMAND sh -c "echo 'cases: 40 passed, 0 failed, 0 skipped'; exit 3")
set_tests_properties(passed-over PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(broken-build PROPERTIES FIXTURES_SETUP build)
set_tests_properties(unbuilt PROPERTIES FIXTURES_REQUIRED build)
CMAKE
cat >"$work/expected" <<'TEXT'
skip passed-over: it needs a moon
FAIL unbuilt: what it needs has failed
FAIL bad
     | what was wrong
FAIL broken-build
FAIL many-bad
     | one is wrong
     | cases: 30 passed, 3 failed, 0 skipped
FAIL many-none
     | cases: 40 passed, 0 failed, 0 skipped
skip 2 of many: they need a sun
3 skipped
51 passed, 7 failed
TEXT

cmake -S "$work" -B "$work/build" >/dev/null
ctest --test-dir "$work/build" --output-junit "$work/junit.xml" >/dev/null 2>&1 || true
if scripts/check/summary.py "$work/junit.xml" | sed 's/ ([0-9]* s)$//' >"$work/said"; then
	echo "summary.py succeeds although tests failed"
	exit 1
fi
diff "$work/expected" "$work/said"

ctest --test-dir "$work/build" -R 'good|passed-over' --output-junit "$work/junit.xml" >/dev/null
scripts/check/summary.py "$work/junit.xml" | diff <(printf '%s\n' 'skip passed-over: it needs a moon' '1 skipped' '1 passed, 0 failed') -

# Cases whose verdict is kept count, and are told.
printf '%s\n' amd64-6.1-20_sample amd64-6.1-30_fork >"$work/kept"
scripts/check/summary.py "$work/junit.xml" | diff - <(cat <<'TEXT'
skip passed-over: it needs a moon
2 cases have their verdict from before, with the same contents: AGAIN=1 runs them again
1 skipped
1 passed, 0 failed
TEXT
)
rm "$work/kept"

# Cases that passed at a second try are named, and more than three are a failure.
unsteady() { for case in "$@"; do echo "amd64-6.1-$case 2 out/check/vm-amd64-6.1/1 out/check/vm-amd64-6.1/2"; done >"$work/unsteady"; }
unsteady 20_sample
scripts/check/summary.py "$work/junit.xml" | diff - <(cat <<'TEXT'
skip passed-over: it needs a moon
unsteady:
  amd64-6.1-20_sample: passed alone, try 2; logs: out/check/vm-amd64-6.1/1, out/check/vm-amd64-6.1/2
1 skipped
1 passed, 0 failed
TEXT
)
unsteady 20_sample 30_fork 40_self 50_ioctl
if scripts/check/summary.py "$work/junit.xml" check 12 >"$work/said"; then
	echo "summary.py succeeds although four cases are unsteady"
	exit 1
fi
grep -q '^1 passed, 1 failed$' "$work/said"
python3 -c 'import json, sys; assert [case["case"] for case in json.load(open(sys.argv[1]))][3] == "amd64-6.1-50_ioctl"' "$work/unsteady.json"
diff <(sed 1,2d "$work/verdict") <(printf '%s\n' 'tests check' 'passed 1' 'failed 1' 'skipped 1' 'unsteady 4' 'seconds 12')
grep -qE '^commit [0-9a-f]{40}$' "$work/verdict"
