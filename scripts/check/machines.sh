# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The machines of make check and make check-vm: which cases they run, and what became of each. Sourced by check.sh.

# Machines are named SET-ARCH-KERNEL. Those of make check, "vm", have one processor, and their time counts its instructions: what
# they do hangs neither on the host's load nor on two processors that patch code (qemu/cases/README.md), and samples fall on every
# instruction. Those of make check-vm, "full", have two, which run at the same time.
arch_of() { # MACHINE
	local rest=${1#*-}
	echo "${rest%%-*}"
}

kernel_of() { echo "${1#*-*-}"; } # MACHINE

# The main job and its end, on the oldest kernel and on the others. Lost memory is looked for on one architecture; check-vm does on both.
GATE_CASES='10_register 20_sample 30_fork 31_exec 32_dlopen 40_self 50_ioctl 57_requests 60_unload 61_events 66_call_sites 66_functions 70_daemon 80_status 90_demo'
GATE_CASES_LATER='20_sample 28_uprobes 37_shadow 58_bpf 60_unload 66_functions'

all_cases() { find qemu/cases -name '[0-9][0-9]_*' -printf '%f\n' | sed 's/\.[a-z]*$//' | sort; }

cases_of() { # MACHINE
	echo 00_boot
	case $1 in
	vm-amd64-6.1) tr ' ' '\n' <<<"$GATE_CASES 94_memory" ;;
	vm-arm64-6.1) tr ' ' '\n' <<<"$GATE_CASES" ;;
	vm-*) tr ' ' '\n' <<<"$GATE_CASES_LATER" ;;
	full-*) all_cases ;;
	esac
}

# What its cases find in the environment, one a line. Where time does not count instructions, how long rmmod takes is told by
# check-long.
settings_of() { # MACHINE
	case $1 in
	vm-*) printf '%s\n' CYCLES=1 EXACT=1 BUSY=2 SHORT=1 EVENTS=500 ATTACHES=20 'KILLED=8 100' ;;
	full-*) printf '%s\n' CYCLES=2 RMMOD_LIMIT_MS=20000 STORM=5 'LIVES=bomb killed loads device' ;;
	esac
}

# A case that failed, or was not reached, runs again alone in a fresh guest: so often in all, and only if there are no more of them
# in one machine. More in one run than that are red (summary.py).
TRIES=3
UNSTEADY_MOST=3

# What became of each case is in the folder of the boot that it ran in, out/check/MACHINE/N; of those that did not need to, in that of
# boot 0 (kept.sh).
vm_boot() { # MACHINE
	local hash cases
	rm -rf "${OUT:?}/$1"
	case $1 in
	full-*)
		hash=$(contents_of_machine "$1" | hash_of) || return
		mapfile -t cases < <(cases_of "$1")
		[ -n "${AGAIN:-}" ] || take_kept "$1" "$hash" "${cases[@]}"
		boot_all "$1" || return
		keep_passed "$1" "$hash"
		kernel_figure "$1"
		;;
	*) boot_all "$1" ;;
	esac
}

cases_left() { cases_of "$1" | grep -vxFf <(last_verdicts "$1" | cut -d' ' -f2); } # MACHINE

# Boots until each case has its verdict, and none is left that failed and may be tried again.
boot_all() { # MACHINE
	local cases case boots
	BOOTS=0
	mapfile -t cases < <(cases_left "$1")
	# A case that takes the machine with it has its verdict: the others go on in a fresh guest.
	for ((boots = 0; boots <= UNSTEADY_MOST && ${#cases[@]} > 0; boots++)); do
		boot "$1" "${cases[@]}" || return
		mapfile -t cases < <(cases_left "$1")
	done
	mapfile -t cases < <(last_verdicts "$1" | sed -n 's/^FAIL \([^ ]*\) .*/\1/p')
	if [ ${#cases[@]} -le $UNSTEADY_MOST ]; then
		for case in "${cases[@]}"; do try_alone "$1" "$case"; done
	fi
}

# Where time does not count instructions, perf's stacks are beside ours.
guest_options() { # MACHINE
	echo "${FOR_GUEST:-}"
	case $1 in full-*) perf_machine_of "$(arch_of "$1")" "$(kernel_of "$1")" ;; esac
}

# boot MACHINE CASE...: one guest. Its output is in the machine's log too. Fails only if it could not be made.
boot() {
	local folder status=0 settings counted=
	BOOTS=$((BOOTS + 1))
	folder=$OUT/$1/$BOOTS
	mkdir -p "$folder"
	mapfile -t settings < <(settings_of "$1")
	case $1 in vm-*) counted=1 ;; esac
	echo "boot $BOOTS: ${*:2}"
	FOR_GUEST=$(guest_options "$1" | xargs) COUNTED=$counted GUEST_OUT=$folder run_vm "$(arch_of "$1")" "$(kernel_of "$1")" env "${settings[@]}" /root/cases/run-all.sh "${@:2}" 2>&1 |
		tee "$folder/log" || status=$?
	case $status in "$EX_CONFIG" | "$EX_LOST") return $status ;; esac
	scripts/check/verdicts.py "$folder/log" "$folder/console" >"$folder/verdicts"
	judge_demo "$folder"
	# That a machine boots well once more takes nothing back.
	[[ " ${*:2} " == *' 00_boot '* ]] || sed -i '/^ok 00_boot /d' "$folder/verdicts"
	sed "/^skip/d; s/^/boot $BOOTS: /" "$folder/verdicts"
}

# What the demo's report holds is part of its verdict.
judge_demo() { # FOLDER
	if grep -q '^ok 90_demo ' "$1/verdicts" && ! scripts/demo-assert.py "$1/demo/report.json" >"$1/demo.log"; then
		sed -i 's/^ok 90_demo /FAIL 90_demo /' "$1/verdicts"
	fi
}

all_verdicts() { find "$OUT/$1" -mindepth 2 -maxdepth 2 -name verdicts | sort -V; } # MACHINE

# last_verdicts MACHINE: of each case the last one.
last_verdicts() { all_verdicts "$@" | xargs -r cat | awk '{ last[$2] = $0 } END { for (name in last) print last[name] }' | sort -k2,2; }

# boot_of MACHINE CASE: the folder of its last verdict, if it has one.
boot_of() { { all_verdicts "$1" | xargs -r grep -lE "^[a-zA-Z]+ $2 " || true; } | tail -n 1 | xargs -r dirname; }

# A case that passes now was unsteady: it is listed with the folders of both boots.
try_alone() { # MACHINE CASE
	local first try
	first=$(boot_of "$@")
	for ((try = 2; try <= TRIES; try++)); do
		boot "$@" || return 0
		case $(last_verdicts "$1" | grep -E "^[a-zA-Z]+ $2 ") in
		ok* | skip*)
			printf '%s %s %s %s\n' "${1#vm-}-$2" $try "${first#"$PWD"/}" "${OUT#"$PWD"/}/$1/$BOOTS" >>"$OUT/unsteady"
			return
			;;
		WRONG*) return ;;
		esac
	done
}

# For docs/measured/kernels.json, if all cases ran: what the boot has printed, and each case, which are counted there.
kernel_figure() { # MACHINE
	local release
	[ ! -e "$OUT/$1/0/verdicts" ] || return 0
	release=$(sed -n '/.*Linux version \([^ ]*\).*/{s//\1/p;q}' "$OUT/$1/1/console")
	last_verdicts "$1" | awk -v row="figure: kernels target=${1#full-}" -v kernel="$release" -v seconds="$SECONDS" '
		$2 == "00_boot" { print row, "kernel=" kernel, "boot=" $3, "seconds=" seconds }
		$1 == "ok" && $2 ~ /^[1-9]/ { print row, "cases=" $2, "passed=" $2 }
		($1 == "FAIL" || $1 == "WRONG") && $2 ~ /^[1-9]/ { print row, "cases=" $2 }'
}

# skipped_within FOLDER CASE: for summary.py, those of its tests that this guest could not run.
skipped_within() {
	local tests
	mapfile -t tests < <(sed -n "s/^skip $2:\([^ ]*\) \(.*\)/\1 (\2)/p" "$1/verdicts")
	[ ${#tests[@]} = 0 ] || echo "cases: 1 passed, 0 failed, ${#tests[@]} skipped: ${tests[*]}"
}

# What the machine said of a case (qemu/cases/README.md): what it printed up to its verdict.
vm_verdict() { # MACHINE CASE
	local folder result
	if grep '^left out: ' "$OUT/$1.log"; then return "$SKIPPED"; fi
	folder=$(boot_of "$@")
	if [ -z "$folder" ]; then
		echo "the machine did not get to $2"
		return 1
	fi
	result=$(grep -E "^[a-zA-Z]+ $2 " "$folder/verdicts")
	LC_ALL=C awk -v name="$2" '/^# [0-9]+_[a-z0-9_]+ is expected/ { shown = $2 == name } shown; /^(not )?ok / { shown = 0 }' "$folder/log"
	if [ "$2" = 90_demo ] && [ -e "$folder/demo.log" ]; then cat "$folder/demo.log"; fi
	LC_ALL=C awk -f qemu/complaints.awk "$folder/console" | sed -n "s/^$2\t[a-z]*\t/the kernel: /p"
	echo "${result#skip "$2" } (${folder#"$PWD"/})"
	case $result in
	ok*) skipped_within "$folder" "$2" ;;
	skip*) return "$SKIPPED" ;;
	*) return 1 ;;
	esac
}
