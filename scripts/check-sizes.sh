#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Hard limits on size: 600 lines a file, 80 a function of C, 60 a function of C++; in daemon/ 25 methods and 15 data
# members a class, or a line "// Size: REASON" in the comment directly above it (scripts/classes.py counts).
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { find kmod daemon include \( -name '*.[ch]' -o -name '*.cpp' \) ! -name '*.mod.c' | sort; }

long_files() {
	sources | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 600 ] || echo "$file: $lines lines, at most 600"
	done
}

long_functions() {
	sources | grep -E '\.(c|cpp)$' | xargs -r ctags -x --_xformat='%F %N %n %e' --kinds-C=f --kinds-C++=f | awk '
		{ lines = $4 - $3 + 1; limit = ($1 ~ /\.c$/) ? 80 : 60 }
		$4 != "" && lines > limit { printf "%s: %s has %d lines, at most %d\n", $1, $2, lines, limit }'
}

found=$(long_files && long_functions && scripts/classes.py)
[ -z "$found" ] || {
	printf '%s\n' "$found"
	exit 1
}
