#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What no file may say: names of package registries (apt's configuration decides), and paths of somebody's machine. And in
# what people read, words that readers stumbled over.
set -euo pipefail
cd "$(dirname "$0")/.."

# Written so that this file does not contain what it looks for.
registries='(deb|security|ftp|snapshot|archive)[.]debia[n][.]org|registry[.]npmj[s]|npmj[s][.](org|com)'
paths='/(hom[e]|Users)/[a-z]|/root/[.]|/wor[k]/|/far[m]/'

files() { git ls-files -co --exclude-standard -- ':!LICENSE' | while read -r f; do [ ! -f "$f" ] || printf '%s\n' "$f"; done; }

if files | tr '\n' '\0' | xargs -0 grep -nIE "$registries|$paths"; then
	echo "the lines above name a registry or a path of one machine"
	exit 1
fi

# no WORDS FILE...: none of the files has one of the words.
no() {
	local words=$1
	shift
	if git ls-files -- "$@" | xargs grep -nIE "$words"; then
		echo "the lines above have a word that readers stumble over (the list is in scripts/check-words.sh)"
		exit 1
	fi
}

# What people read. After, not behind; sent or named, not told; only its own, not the own; too, not as well.
no '\bseers\b|\b(has|had|was|been) told\b|\bthe own (process|thread|file|one|range)|one behind the other|\bbehind (it|them|each|which|that|its|one)\b|\bas well[.,;:]?$|\bexited too far\b|\b(ask no more|begin to ask)\b|\bis said (twice|three times)\b' \
	'*.md' daemon/man include/uapi kmod/uwind_kernel.h

# The module. After, not behind; shown, sent or distinguished, not told; corrupt, not distrusted; stress, not
# rain.
no '\b(behind|told|seers|rains?|uwind_rain|untell|in silence)\b|uw_(kept|distrust|put)\b|\b(\w+_)?distrust\b' kmod tests/kmod include
