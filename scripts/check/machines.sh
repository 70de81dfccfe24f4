# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The machines of make check: which cases they run, and what became of each. Sourced by check.sh.

# What a stock kernel has a target for in check-matrix; of all of them make check runs something.
STOCK_KERNELS='6.1 6.12 7.2'

stock_kernels() { tr ' ' '\n' <<<"$STOCK_KERNELS"; }

stalled_kernels() { # ARCH
	local kernel
	for kernel in $STOCK_KERNELS; do if is_stalled "$1" "$kernel"; then echo "$kernel"; fi; done
}

# for_kernel ARCH KERNEL COMMAND...: a line that Debian has left behind is no failure, and is said.
for_kernel() {
	local said
	if said=$(scripts/lab/fetch-kernel.sh "$1" "$2" 2>&1 >/dev/null) || [[ $said != *'no suite has a kernel'* ]]; then
		"${@:3}"
	else
		echo "left out: $said"
		return "$SKIPPED"
	fi
}

# What is long and tells nothing of an architecture runs on one of them; check-matrix runs all on both.
ON_AMD64='21_targets 23_deep 35_lives 38_map_lock 39_files 51_attack 53_members 54_counters 62_convert 63_kernel_frames 71_service'
ON_ARM64='25_names 26_doctor 34_stopped 36_trouble 52_strangers 59_sessions 70_daemon'

left_out() { case $1 in amd64) echo "$ON_ARM64" ;; arm64) echo "$ON_AMD64" ;; esac; } # ARCH

# Tables of each sort, samples, probes, files that are mapped over others, and the end of the module: what a kernel's version can break.
QUICK_CASES='10_register 20_sample 28_uprobes 32_dlopen 37_shadow 40_self 58_bpf 60_unload 66_functions'

# 6.1 runs all others, the demo last.
cases_of() { # ARCH KERNEL
	local name
	echo 00_boot
	if [ "$2" != 6.1 ]; then
		tr ' ' '\n' <<<"$QUICK_CASES"
		return
	fi
	for name in qemu/cases/[0-9][0-9]_*; do
		name=${name##*/}
		name=${name%.*}
		[[ " $(left_out "$1") " == *" $name "* ]] || echo "$name"
	done
}

# Both machines and the host's tests share the processors: how long rmmod takes is check-long's.
BUSY='CYCLES=2 RMMOD_LIMIT_MS=20000 STORM=5'

# A case that failed, or was not reached, runs again alone in a fresh guest: so often in all, and only if there are no more of them
# in one machine. More in one run than that are red (summary.py).
TRIES=3
UNSTEADY_MOST=3

# Boots until each case has its verdict, and none is left that failed and may be tried again. What became of each case is in the
# folder of the boot that it ran in, out/check/vm-ARCH-KERNEL/N.
vm_boot() { # ARCH KERNEL
	local cases case boots
	rm -rf "${OUT:?}/vm-$1-$2"
	BOOTS=0
	mapfile -t cases < <(cases_of "$1" "$2")
	# A case that takes the machine with it has its verdict: the others go on in a fresh guest.
	for ((boots = 0; boots <= UNSTEADY_MOST && ${#cases[@]} > 0; boots++)); do
		boot "$1" "$2" "${cases[@]}" || return
		mapfile -t cases < <(cases_of "$1" "$2" | grep -vxFf <(last_verdicts "$1" "$2" | cut -d' ' -f2))
	done
	mapfile -t cases < <(last_verdicts "$1" "$2" | sed -n 's/^FAIL \([^ ]*\) .*/\1/p')
	if [ ${#cases[@]} -le $UNSTEADY_MOST ]; then
		for case in "${cases[@]}"; do try_alone "$1" "$2" "$case"; done
	fi
	kernel_figure "$1" "$2"
}

# boot ARCH KERNEL CASE...: one guest. Its output is in the machine's log too. Fails only if it could not be made.
boot() {
	local busy folder status=0
	BOOTS=$((BOOTS + 1))
	folder=$OUT/vm-$1-$2/$BOOTS
	mkdir -p "$folder"
	read -ra busy <<<"$BUSY"
	if [ "$2" = 6.1 ]; then busy+=('LIVES=bomb killed loads device'); else busy+=(CYCLES=1); fi
	echo "boot $BOOTS: ${*:3}"
	GUEST_OUT=$folder run_vm "$1" "$2" env "${busy[@]}" /root/cases/run-all.sh "${@:3}" 2>&1 | tee "$folder/log" || status=$?
	case $status in "$EX_CONFIG" | "$EX_LOST") return $status ;; esac
	scripts/check/verdicts.py "$folder/log" "$folder/console" >"$folder/verdicts"
	judge_demo "$folder"
	# That a machine boots well once more takes nothing back.
	[[ " ${*:3} " == *' 00_boot '* ]] || sed -i '/^ok 00_boot /d' "$folder/verdicts"
	sed "/^skip/d; s/^/boot $BOOTS: /" "$folder/verdicts"
}

# What the demo's report holds is part of its verdict.
judge_demo() { # FOLDER
	if grep -q '^ok 90_demo ' "$1/verdicts" && ! scripts/demo-assert.py "$1/demo/report.json" >>"$1/log"; then
		sed -i 's/^ok 90_demo /FAIL 90_demo /' "$1/verdicts"
	fi
}

all_verdicts() { find "$OUT/vm-$1-$2" -mindepth 2 -maxdepth 2 -name verdicts | sort -V; } # ARCH KERNEL

# last_verdicts ARCH KERNEL: of each case the last one.
last_verdicts() { all_verdicts "$@" | xargs -r cat | awk '{ last[$2] = $0 } END { for (name in last) print last[name] }' | sort -k2,2; }

# boot_of ARCH KERNEL CASE: the folder of its last verdict.
boot_of() { all_verdicts "$1" "$2" | xargs -r grep -lE "^[a-zA-Z]+ $3 " | tail -n 1 | xargs -r dirname; }

# A case that passes now was unsteady: it is listed with the folders of both boots.
try_alone() { # ARCH KERNEL CASE
	local first try
	first=$(boot_of "$@")
	for ((try = 2; try <= TRIES; try++)); do
		boot "$@" || return 0
		case $(last_verdicts "$1" "$2" | grep -E "^[a-zA-Z]+ $3 ") in
		ok* | skip*)
			printf '%s %s %s %s\n' "$1-$2-$3" $try "${first#"$PWD"/}" "out/check/vm-$1-$2/$BOOTS" >>"$OUT/unsteady"
			return
			;;
		WRONG*) return ;;
		esac
	done
}

# For docs/measured/kernels.json: what the boot has printed, and each case, which are counted there.
kernel_figure() { # ARCH KERNEL
	local release
	release=$(sed -n 's/.*Linux version \([^ ]*\).*/\1/p' "$OUT/vm-$1-$2/1/console" | head -1)
	last_verdicts "$1" "$2" | awk -v row="figure: kernels target=$1-$2" -v kernel="$release" -v seconds="$SECONDS" '
		$2 == "00_boot" { print row, "kernel=" kernel, "boot=" $3, "seconds=" seconds }
		$1 == "ok" && $2 ~ /^[1-9]/ { print row, "cases=" $2, "passed=" $2 }
		($1 == "FAIL" || $1 == "WRONG") && $2 ~ /^[1-9]/ { print row, "cases=" $2 }'
}

# What the machine said of a case (qemu/cases/README.md): what it printed up to its verdict.
vm_verdict() { # ARCH KERNEL CASE
	local folder result
	if grep '^left out: ' "$OUT/vm-$1-$2.log"; then return "$SKIPPED"; fi
	folder=$(boot_of "$@")
	if [ -z "$folder" ]; then
		echo "the machine did not get to $3"
		return 1
	fi
	result=$(grep -E "^[a-zA-Z]+ $3 " "$folder/verdicts")
	LC_ALL=C awk -v name="$3" '/^# [0-9]+_[a-z0-9_]+ is expected/ { shown = $2 == name } shown; /^(not )?ok / { shown = 0 }' "$folder/log"
	LC_ALL=C awk -f qemu/complaints.awk "$folder/console" | sed -n "s/^$3\t[a-z]*\t/the kernel: /p"
	echo "${result#skip "$3" } (${folder#"$PWD"/})"
	case $result in
	ok*) ;;
	skip*) return "$SKIPPED" ;;
	*) return 1 ;;
	esac
}

assert_demo() { scripts/demo-assert.py "$(boot_of "$1" 6.1 90_demo)/demo/report.json"; } # ARCH
