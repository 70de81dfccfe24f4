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

# What tells nothing of an architecture runs on one of them; check-matrix runs all on both.
ON_AMD64='30_fork 31_exec 33_exit 38_map_lock 41_processes 51_attack 54_counters 71_service'
ON_ARM64='25_names 26_doctor 34_stopped 35_lives 44_stack_depth 57_requests 70_daemon'
# What 6.1 leaves to check-matrix and to parts of check-long: it is long, needs packages that others do not, or runs on later kernels.
LONG='21_targets 23_deep 25_kept_tables 36_trouble 38_held 38_windows 39_again 39_files 52_strangers 53_members 59_sessions'
LONG+=' 45_symbolize 46_perf_data 47_profiles 48_runtimes 61_events 62_convert 63_gone_modules 63_kernel_frames 64_off_cpu 66_functions'
LONG+=' 67_text_watch 68_text_log 69_kstack 69_kstack_stock'

left_out() { case $1 in amd64) echo "$ON_ARM64 $LONG" ;; arm64) echo "$ON_AMD64 $LONG" ;; esac; } # ARCH

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
BUSY='CYCLES=2 RMMOD_LIMIT_MS=20000 STORM=5 SHARE=0.98 SAMPLED=20'

# One boot. A case that failed fails its own test.
vm_boot() { # ARCH KERNEL
	local busy cases status=0
	read -ra busy <<<"$BUSY"
	if [ "$2" = 6.1 ]; then busy+=('LIVES=bomb killed loads device' OFFSETS=4 TURNS=2); else busy+=(CYCLES=1); fi
	mapfile -t cases < <(cases_of "$1" "$2" | grep -vx 00_boot)
	run_vm "$1" "$2" env "${busy[@]}" /root/cases/run-all.sh "${cases[@]}" || status=$?
	kernel_figure "$1" "$2"
	[ "$status" -le 1 ]
}

# For docs/measured/kernels.json: what the boot has printed, and each case, which are counted there.
kernel_figure() { # ARCH KERNEL
	local release
	release=$(sed -n 's/.*Linux version \([^ ]*\).*/\1/p' "$OUT/vm-$1-$2/console" | head -1)
	results_in "$OUT/vm-$1-$2.log" | awk -v row="figure: kernels target=$1-$2" -v kernel="$release" -v seconds="$SECONDS" '
		$2 == "00_boot" { print row, "kernel=" kernel, "boot=" $3, "seconds=" seconds }
		$1 == "ok" && $2 ~ /^[1-9]/ { print row, "cases=" $2, "passed=" $2 }
		$1 == "FAIL" && $2 ~ /^[1-9]/ { print row, "cases=" $2 }'
}

# What the machine said of a case (qemu/cases/README.md): what it printed up to its verdict.
vm_verdict() { # ARCH KERNEL CASE
	local log=$OUT/vm-$1-$2.log result
	if grep '^left out: ' "$log"; then return "$SKIPPED"; fi
	result=$(results_in "$log" | grep -E "^(ok|FAIL|skip) $3 ") || {
		echo "the machine did not get to $3"
		return 1
	}
	LC_ALL=C awk -v name="$3" '/^# [0-9]+_[a-z0-9_]+ is expected/ { shown = $2 == name } shown; /^(not )?ok / { shown = 0 }' "$log"
	echo "${result#skip "$3" }"
	case $result in
	ok*) ;;
	skip*) return "$SKIPPED" ;;
	*) return 1 ;;
	esac
}

assert_demo() { scripts/demo-assert.py "$OUT/vm-$1-6.1/demo/report.json"; } # ARCH
