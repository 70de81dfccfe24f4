#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the programs that build.sh has made, one on each processor, and prints the table, in Markdown; what was not right is
# in FOLDER/NAME.log.
#
# Usage: run.sh TRUTH_MATRIX FOLDER [EVERY]
#   FOLDER  of programs, or of folders of them      EVERY  look at one instruction of so many in libraries
set -euo pipefail
truth=$1 folder=$2 every=${3:-1}

# A row of the table.
run_program() { # PROGRAM
	local name=${1##*/} code=()
	case $name in *,none) code=(--code) ;; esac
	"$truth" "${code[@]}" --libraries "$every" --main "$(cat "$1.main")" "${name//,/ | }" "$1" >"$1.row" 2>"$1.log"
}

# Rows appear in the programs' order.
status=0
programs=() pids=()
finish_first() {
	local program=${programs[0]}
	if ! wait "${pids[0]}"; then
		status=1
		printf '%s: not as it should be\n' "${program##*/}" >&2
		cat "$program.log" >&2
	fi
	cat "$program.row"
	programs=("${programs[@]:1}") pids=("${pids[@]:1}")
}

"$truth" --header
for main in $(find "$folder" -name '*.main' | sort); do
	if [ ${#pids[@]} = "$(nproc)" ]; then finish_first; fi
	programs+=("${main%.main}")
	run_program "${main%.main}" &
	pids+=($!)
done
while [ ${#pids[@]} != 0 ]; do finish_first; done
exit $status
