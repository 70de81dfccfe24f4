#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# C and C++ are as clang-format writes them: by .clang-format at the top, and by kmod's where C is as in the kernel.
#
# Usage: check-format.sh [-i]     -i formats the files instead
set -euo pipefail
cd "$(dirname "$0")/.."

files() {
	git ls-files -co --exclude-standard -- '*.[ch]' '*.cpp' | while read -r file; do
		if [ -f "$file" ] && [ ! -L "$file" ]; then printf '%s\0' "$file"; fi
	done
}

case ${1:-} in
-i) mode=(-i) ;;
'') mode=(--dry-run -Werror) ;;
*)
	echo "usage: check-format.sh [-i]" >&2
	exit 64
	;;
esac
files | xargs -0 -P "$(nproc)" -n 32 clang-format "${mode[@]}"
