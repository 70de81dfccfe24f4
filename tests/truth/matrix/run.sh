#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the programs that build.sh has made and prints the table, in Markdown; what was not right is in FOLDER/NAME.log.
#
# Usage: run.sh TRUTH_MATRIX FOLDER [EVERY]
#   FOLDER  of programs, or of folders of them      EVERY  look at one instruction of so many in libraries
set -euo pipefail
truth=$1 folder=$2 every=${3:-1}

status=0
"$truth" --header
for main in $(find "$folder" -name '*.main' | sort); do
	program=${main%.main}
	name=${program##*/}
	code=()
	case $name in *,none) code=(--code) ;; esac
	"$truth" "${code[@]}" --libraries "$every" --main "$(cat "$main")" "${name//,/ | }" "$program" 2>"$program.log" || {
		status=1
		printf '%s: not as it should be\n' "$name" >&2
		cat "$program.log" >&2
	}
done
exit $status
