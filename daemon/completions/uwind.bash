# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What bash offers behind "uwind": verbs, options, their values, files. Needs no other completion's functions.

# _uwind_options VERB [SUBVERB]
_uwind_options() {
	case $1 in
	'') echo "-h --help --version" ;;
	record)
		echo "-h --help --version -a --all -p --pid --exclude-pid -G --cgroup -C --cpu -e --event --filter --force --kernel-stacks -F --frequency -c --count" \
			"--max-depth --stack-bytes --stack-depth --no-arguments --duration -o --output --table-cache -v --verbose --"
		;;
	report) echo "-h --help --version -i --input --format -o --output -e --event --comm -p --pid --time --module --symbol --inverted --no-inline --changes --check" ;;
	symbolize | archive) echo "-h --help --version -o --output --sysroot --debug-dir --debuginfod -q --quiet" ;;
	text-log) echo "-h --help --version -o --output --duration --interval -v --verbose --" ;;
	text-at) echo "-h --help --version -i --input --format" ;;
	convert) echo "-h --help --version -o --output --max-depth --table-cache -v --verbose" ;;
	doctor) echo "-h --help --version --format" ;;
	status) echo "-h --help --version" ;;
	kstack) echo "-h --help --version --duration --per --functions --top -o --output --format --" ;;
	bench)
		case ${2:-} in
		ftrace) echo "-h --help --calls --format" ;;
		*) echo "-h --help --version" ;;
		esac
		;;
	list)
		case ${2:-} in
		tables | events) echo "-h --help" ;;
		*) echo "-h --help --version" ;;
		esac
		;;
	table)
		case ${2:-} in
		'') echo "-h --help --version" ;;
		dump) echo "-h --help --source --offsets" ;;
		keep) echo "-h --help --table-cache -j --jobs" ;;
		*) echo "-h --help --source" ;;
		esac
		;;
	esac
}

# _uwind_values VERB OPTION: its words; FILE, PIDS or CGROUP; NUMBER, also of a URL, for which there is nothing to offer. Fails for one without a value.
_uwind_values() {
	case $1:$2 in
	record:-e | record:--event) echo "cpu-clock cpu-clock:u cycles cycles:u offcpu requests" ;;
	report:--format) echo "summary folded cookies perf-script stack-depth json speedscope firefox chrome-trace perf-data pprof otlp otlp-json" ;;
	doctor:--format | bench:--format | text-at:--format | kstack:--format) echo "text json" ;;
	kstack:--per) echo "task cpu entry" ;;
	kstack:-o | kstack:--output) echo FILE ;;
	kstack:--duration | kstack:--functions | kstack:--top) echo NUMBER ;;
	table:--source) echo "best sframe eh_frame" ;;
	record:-o | record:--output | convert:-o | convert:--output | report:-i | report:--input | report:-o | report:--output) echo FILE ;;
	symbolize:-o | symbolize:--output | symbolize:--sysroot | symbolize:--debug-dir) echo FILE ;;
	archive:-o | archive:--output | archive:--sysroot | archive:--debug-dir) echo FILE ;;
	symbolize:--debuginfod | archive:--debuginfod) echo NUMBER ;;
	text-log:-o | text-log:--output | text-at:-i | text-at:--input) echo FILE ;;
	record:--table-cache | convert:--table-cache | table:--table-cache) echo FILE ;;
	table:-j | table:--jobs) echo NUMBER ;;
	record:-p | record:--pid | record:--exclude-pid) echo PIDS ;;
	record:-G | record:--cgroup) echo CGROUP ;;
	bench:--calls | record:-C | record:--cpu | record:--max-depth | record:--stack-bytes | convert:--max-depth) echo NUMBER ;;
	record:-F | record:--frequency | record:-c | record:--count | record:--duration | text-log:--duration | text-log:--interval) echo NUMBER ;;
	*) return 1 ;;
	esac
}

_uwind_reply_words() { # WORDS CURRENT
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_uwind_reply_files() { # CURRENT
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Behind a comma the next number begins.
_uwind_reply_pids() { # CURRENT
	local done='' pid
	case $1 in *,*) done=${1%,*}, ;; esac
	for pid in /proc/[0-9]*; do
		case $done${pid##*/} in "$1"*) COMPREPLY+=("$done${pid##*/}") ;; esac
	done
}

# Below the place where cgroups are mounted, or by the whole path.
_uwind_reply_cgroups() { # CURRENT
	local root=/sys/fs/cgroup/
	compopt -o filenames 2>/dev/null
	case $1 in
	/*) mapfile -t COMPREPLY < <(compgen -d -- "$1") ;;
	*) mapfile -t COMPREPLY < <(compgen -d -- "$root$1" | while read -r path; do echo "${path#"$root"}"; done) ;;
	esac
}

_uwind_reply_values() { # KIND CURRENT
	case $1 in
	FILE) _uwind_reply_files "$2" ;;
	PIDS) _uwind_reply_pids "$2" ;;
	CGROUP) _uwind_reply_cgroups "$2" ;;
	NUMBER) ;;
	*) _uwind_reply_words "$1" "$2" ;;
	esac
}

# The command behind "--": its name, then its own arguments, where bash-completion knows them, else files.
_uwind_reply_command() { # INDEX of the command
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$COMP_CWORD" = "$1" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		_uwind_reply_files "${COMP_WORDS[COMP_CWORD]}"
	fi
}

# Where "--" is, or nothing.
_uwind_dashes() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			echo "$i"
			return
		fi
	done
}

_uwind() {
	local verb=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} dashes kind
	COMPREPLY=()
	# bash cuts "--format=json" into three words.
	if [ "$current" = = ]; then
		current=''
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	dashes=$(_uwind_dashes)
	if [ "$COMP_CWORD" = 1 ]; then
		_uwind_reply_words "record report symbolize archive convert status doctor list table bench text-log text-at kstack $(_uwind_options '')" "$current"
	elif [ "$verb" = record ] && [ -n "$dashes" ]; then
		_uwind_reply_command $((dashes + 1))
	elif kind=$(_uwind_values "$verb" "$before"); then
		_uwind_reply_values "$kind" "$current"
	elif [ "$verb" = table ] && [ "$COMP_CWORD" = 2 ]; then
		_uwind_reply_words "dump check stat keep $(_uwind_options table)" "$current"
	elif [ "$verb" = bench ] && [ "$COMP_CWORD" = 2 ]; then
		_uwind_reply_words "ftrace $(_uwind_options bench)" "$current"
	elif [ "$verb" = list ] && [ "$COMP_CWORD" = 2 ]; then
		_uwind_reply_words "tables events $(_uwind_options list)" "$current"
	elif [[ $current = -* ]]; then
		_uwind_reply_words "$(_uwind_options "$verb" "${COMP_WORDS[2]}")" "$current"
	elif [ "$verb" = table ] || [ "$verb" = convert ]; then
		_uwind_reply_files "$current"
	elif [ "$verb" = list ] && [ "${COMP_WORDS[2]}" = events ]; then
		_uwind_reply_words "hardware software cache PMU tracepoint probe" "$current"
	fi
}

complete -F _uwind uwind
