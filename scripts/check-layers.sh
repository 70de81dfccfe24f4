#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who may include whom: prints every #include that goes against the layers of the kernel module or of the daemon.
set -euo pipefail
cd "$(dirname "$0")/.."

# includes FOLDER...: "file include" for each #include line, quotes and brackets kept.
includes() { grep -rHoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+["<][^">]+[">]' "$@" --include='*.[ch]' --include='*.cpp' | sed -E 's/:.*include[[:space:]]+/ /'; }

bad=0
complain() {
	printf '%s includes %s: %s\n' "$1" "$2" "$3"
	bad=1
}

# The core is pure C: its own headers, the port, and the contract's words, which are macros only.
core_rule() {
	case $2 in
	'"uw_port.h"' | '"uw_port_walk.h"' | '"uwind_words.h"') ;;
	'"'*) [ -e "kmod/core/$(tr -d '"' <<<"$2")" ] || complain "$1" "$2" "the core includes only its own headers" ;;
	*) complain "$1" "$2" "the core includes no system or kernel header" ;;
	esac
}

# What a room of the kernel module may include, besides itself and what lies beside main.c.
rooms_below() { # ROOM
	case $1 in
	access) echo core ;;
	store) echo core access ;;
	walk | port) echo core access store walk ;;
	request) echo core access store walk ;;
	trigger) echo core access ;;
	kernel) echo core access trigger ;;
	session) echo core access store walk request trigger ;;
	device) echo core access store walk request trigger session kernel ;;
	esac
}

kernel_rule() {
	local room=${1#kmod/} header=${2//\"/} below
	room=${room%%/*}
	case $2 in
	*compat.h'"') complain "$1" "$2" "compat.h is force-included" ;;
	'<'* | '"uwind.h"' | '"uwind_kstack.h"') return ;;
	esac
	case $1 in
	kmod/resident.*) [ "$2" = '"resident.h"' ] || complain "$1" "$2" "what stays loaded is made of no other file of ours" ;;
	kmod/main.c) ;;
	kmod/*/*)
		below=" $room $(rooms_below "$room") "
		[[ $header != */* || $below == *" ${header%%/*} "* ]] || complain "$1" "$2" "$room may include:$below"
		;;
	*) [[ $header != */* ]] || complain "$1" "$2" "what lies beside main.c is for all rooms, and knows none" ;;
	esac
}

# The module's files by name, without .c and .h: what X_parts.h shares among the files of X is X. The core's own headers have no folder.
kernel_edges() {
	includes kmod | sed -nE 's,^kmod/(.*)\.[ch] "(.*)\.h"$,\1 \2,p' | while read -r from to; do
		if [ ! -e "kmod/$to.h" ] && [ -e "kmod/core/$to.h" ]; then to=core/$to; fi
		[ "${from%_parts}" = "${to%_parts}" ] || echo "${from%_parts} ${to%_parts}"
	done
}

# What a room of daemon/tables may include, besides itself and what lies beside the rooms.
table_rooms_below() { # ROOM
	case $1 in
	cfi) echo isa code ;;
	ehabi) echo cfi ;;
	go) echo isa code ;;
	code) echo isa ;;
	known) echo cfi code ehabi isa ;;
	esac
}

table_rule() {
	local room=${1#daemon/tables/} header=${2//\"/} below
	case $1:$header in
	daemon/tables/*/*:tables/*/*) ;;
	*) return 0 ;;
	esac
	room=${room%%/*} header=${header#tables/}
	below=" $room $(table_rooms_below "$room") "
	[[ $below == *" ${header%%/*} "* ]] || complain "$1" "$2" "$room may include:$below"
}

# The daemon's files by name, as above.
daemon_edges() {
	includes daemon | sed -nE 's,^daemon/(.*)\.(h|cpp) "(.*)\.h"$,\1 \3,p' | while read -r from to; do
		[ "${from%_parts}" = "${to%_parts}" ] || echo "${from%_parts} ${to%_parts}"
	done
}

# A quoted include begins with one of the folders that the layer may see.
daemon_rule() {
	local file=$1 header=${2//\"/} layers
	case $2 in '<'*) return ;; esac
	case $file in
	daemon/base/*) layers='base/' ;;
	daemon/model/*) layers='model/ base/ uwind_words.h' ;;
	daemon/port/*) layers='port/ model/ base/' ;;
	daemon/elf/*) layers='elf/ model/ base/' ;;
	daemon/dwarf/*) layers='dwarf/ model/ base/' ;;
	daemon/bpf/*) layers='kernel_types.h life_' ;;
	daemon/io/*) layers='io/ bpf/life_ process_lives.skel.h elf/ port/ model/ base/ uwind' ;;
	daemon/tables/*) layers='tables/ elf/ port/ model/ base/ table.h types.h rule.h sframe.h bytes.h uw_port.h' ;;
	daemon/walk/*) layers='walk/ port/ model/ base/ table.h sframe.h walk.h uw_port_walk.h' ;;
	daemon/objects/*) layers='objects/ tables/ dwarf/ elf/ io/ port/ model/ base/' ;;
	daemon/export/*) layers='export/ perf_data/format.h port/ model/ base/' ;;
	daemon/events/*) layers='events/ port/ model/ base/' ;;
	daemon/jit/*) layers='jit/ port/ model/ base/' ;;
	daemon/app/*) layers='app/ jit/ port/ model/ base/' ;;
	daemon/perf_data/*) layers='perf_data/ port/ model/ base/' ;;
	daemon/convert/*) layers='convert/ app/ port/ model/ base/' ;;
	*) return ;;
	esac
	for layer in $layers; do case $header in "$layer"*) return ;; esac done
	complain "$file" "$2" "${file%/*} may include: $layers"
}

# The contract itself is for those who speak it.
uapi_rule() {
	case $2:$1 in
	'"uwind.h"':kmod/core/*) ;; # core_rule has said it
	'"uwind.h"':kmod/* | '"uwind.h"':daemon/io/* | '"uwind.h"':tests/*) ;;
	'"uwind.h"':*) complain "$1" "$2" "the contract is spoken in kmod, daemon/io and tests only" ;;
	esac
}

while read -r file header; do
	case $file in
	kmod/core/*) core_rule "$file" "$header" ;;
	kmod/*) kernel_rule "$file" "$header" ;;
	daemon/*)
		daemon_rule "$file" "$header"
		table_rule "$file" "$header"
		;;
	esac
	uapi_rule "$file" "$header"
done < <(includes kmod daemon tests)
circle() {
	printf 'files of %s that include each other in a circle:%s\n' "$1" "${2//tsort: /}"
	bad=1
}
found=$(kernel_edges | tsort 2>&1 >/dev/null) || circle kmod "$found"
found=$(daemon_edges | tsort 2>&1 >/dev/null) || circle daemon "$found"
exit $bad
