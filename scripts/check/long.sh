# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The longer tests, in named parts. Sourced by check.sh.

long_part() { # PART
	local arch kernel machine
	case $1 in
	fuzz)
		step build-fuzz build_fuzz
		if passed build-fuzz; then fuzz_steps saturate_fuzz 60; fi
		;;
	fuzz-sframe | fuzz-rows | fuzz-walk)
		step build-fuzz build_fuzz
		if passed build-fuzz; then step "$1" run_fuzz "${1/-/_}" -max_total_time=1200 -runs=20000000; fi
		;;
	figures)
		step packages scripts/setup.sh figures.list
		step build-unit build_unit
		step code code_figures
		step instructions instruction_figures
		step bench-agree build/bench/tests/bench_walk agree
		step decoders decoder_figures
		grep -h '^figure:' "$OUT"/{code,instructions,decoders}.log
		;;
	truth)
		step build-programs-amd64 build_programs amd64
		step build-truth-amd64 build_truth amd64
		if passed build-truth-amd64; then
			step truth-step truth_step
			step truth-step-sframe truth_step_sframe
			step truth-gdb truth_gdb 1700
		fi
		;;
	truth-arm64)
		step build-programs-arm64 build_programs arm64
		step build-truth-arm64 build_truth arm64
		step truth-signed truth_guest max,pauth-impdef=on 60
		step truth-unsigned truth_guest cortex-a72 60 python3 perl xz threads
		;;
	truth-i386 | truth-arm)
		arch=${1#truth-}
		arch=${arch/i386/amd64} arch=${arch/%arm/arm64}
		step "build-truth-$arch" build_truth "$arch"
		if passed "build-truth-$arch"; then step "$1" truth_guest_32 "$arch" 300 python3 perl bash xz sqlite3; fi
		cat "$OUT/$1.log"
		;;
	perf-amd64 | perf-arm64)
		build_for_vm "${1#perf-}" 6.1
		if built_for_vm "${1#perf-}" 6.1; then step "$1" perf_guest "${1#perf-}" 10; fi
		grep '^|' "$OUT/$1.log"
		;;
	matrix-amd64)
		step build-truth-amd64 build_truth amd64
		for arch in amd64 i386; do
			step "programs-$arch" matrix_programs "$arch" "build/matrix/$arch"
			if passed build-truth-amd64 && passed "programs-$arch"; then step "matrix-$arch" matrix_host "build/matrix/$arch"; fi
		done
		grep -h '^|' "$OUT"/matrix-*.log
		;;
	matrix-arm64 | matrix-arm-thumb | matrix-arm-a32)
		step build-truth-arm64 build_truth arm64
		step programs matrix_programs "$(cut -d- -f2 <<<"$1")" "build/$1" "$(matrix_pattern "$1")"
		if passed build-truth-arm64 && passed programs; then step "$1" matrix_guest "build/$1"; fi
		grep '^|' "$OUT/$1.log"
		;;
	unload-*) # 100 cycles with all that may delay it: 17 minutes
		arch=${1#unload-} kernel=${1#unload-*-}
		COUNTED=2 vm_part "${arch%%-*}" "$kernel" 60_unload "CYCLES=${CYCLES:-10}" "HELD_CYCLES=${CYCLES:-100}" CASE_LIMIT=4000
		grep -h 'longest rmmod' "$OUT/vm-${arch%%-*}-$kernel.log" || true
		;;
	stopped-amd64 | stopped-arm64) vm_part "${1#*-}" 6.1 34_stopped STOPS=500 ;;
	attack-amd64) vm_part amd64 6.1 51_attack CALLS=1000000 ;;
	attack-arm64) vm_part arm64 6.1 51_attack CALLS=600000 ;;
	storm-amd64 | storm-arm64)
		for kernel in 6.1 7.2; do vm_part "${1#*-}" $kernel 59_sessions STORM=120 STORM_HZ=4999 STORM_LEAST=200000; done
		vm_part "${1#*-}" 6.1-debug 59_sessions STORM=120 STORM_LEAST=50000 STORM_HZ=1499
		grep -hE '^(storm:|requested )' "$OUT"/vm-*.log
		;;
	functions-amd64 | functions-arm64) functions_part "${1#*-}" ;;
	requests-amd64 | requests-arm64)
		for kernel in 6.1 7.2; do vm_part "${1#*-}" $kernel 57_requests REQUESTS=100000; done
		;;
	events-amd64 | events-arm64)
		for kernel in 6.1 7.2; do events_part "${1#*-}" $kernel; done
		;;
	databases-amd64 | databases-arm64) # 7 minutes a kernel
		for kernel in 6.1 7.2; do databases_part "${1#*-}" $kernel; done
		;;
	lives-amd64 | lives-arm64) vm_part "${1#*-}" 6.1 '35_lives 36_trouble' LOADS=10000 ;;
	spaces-*) spaces_part amd64 "${1#*-}" ;;
	reader-*) reader_part amd64 "${1#*-}" ;;
	hostile-*)
		kernel=${1#hostile-}
		hostile_part amd64 "${kernel%-*}" "${1##*-}"
		;;
	bystander-amd64 | bystander-arm64)
		for kernel in $STOCK_KERNELS; do
			build_for_vm "${1#*-}" "$kernel"
			if built_for_vm "${1#*-}" "$kernel"; then step "$1-$kernel" bystander_guest "${1#*-}" "$kernel"; fi
		done
		grep -h '^|' "$OUT/$1"-*.log
		;;
	cost-amd64 | cost-arm64)
		build_for_vm "${1#cost-}" 6.1 7.2
		for kernel in 6.1 7.2; do
			if built_for_vm "${1#cost-}" $kernel; then step "$1-$kernel" cost_guest "${1#cost-}" $kernel; fi
		done
		grep -h '^|' "$OUT/$1"-*.log
		;;
	profile-amd64 | profile-arm64) for kernel in 6.1 7.2; do profile_part "${1#profile-}" $kernel; done ;;
	warmup-*)
		arch=$(machine_for "${1#warmup-}")
		build_for_vm "$arch" 6.1
		if built_for_vm "$arch" 6.1; then step "$1" warmup_guest "$arch" "${1#warmup-}"; fi
		grep '^figure:' "$OUT/$1.log"
		;;
	late-threads)
		step build-unit build_unit
		if passed build-unit; then step late-threads late_threads; fi
		;;
	rows)
		step build-unit build_unit
		for arch in amd64 arm64; do step "rows-$arch" check_rows "$arch"; done
		tail -n +2 "$OUT"/rows-*.log
		;;
	sframe)
		step build-unit build_unit
		step build-truth-amd64 build_truth amd64
		step sframe-files check_sframe
		if passed build-truth-amd64; then sframe_steps; fi
		;;
	sframe-arm64)
		step build-truth-arm64 build_truth arm64
		if passed build-truth-arm64; then sframe_guest_steps; fi
		;;
	service-*)
		step packaging scripts/setup.sh packaging.list
		step deb scripts/deb.sh --suite "${1#service-}"
		if passed deb; then step "$1" scripts/check-service.sh "${1#service-}" "$OUT/service"; fi
		tail -n 12 "$OUT/$1.log"
		;;
	shadow)
		build_for_vm arm64 7.2
		if built_for_vm arm64 7.2; then step shadow shadow_guest; fi
		grep '^|' "$OUT/shadow.log"
		;;
	doctor)
		build_for_vm amd64 6.1
		for machine in absent forbidden without_option locked_down; do step "doctor-$machine" doctor_guest $machine; done
		;;
	trouble)
		build_for_vm amd64 6.1
		if built_for_vm amd64 6.1; then step trouble scripts/check-trouble.sh amd64; fi
		grep -a '^boot' "$OUT/trouble.log"
		;;
	packages)
		step deb make --no-print-directory deb
		if passed deb; then step packages scripts/check-packages.sh; fi
		;;
	esac
}

LONG_PARTS='doctor figures fuzz fuzz-sframe fuzz-rows fuzz-walk late-threads matrix-amd64 matrix-arm64 matrix-arm-a32 matrix-arm-thumb packages perf-amd64 perf-arm64 rows service-bookworm service-trixie shadow sframe sframe-arm64 trouble truth truth-arm truth-arm64 truth-i386'
for arch in amd64 arm64; do LONG_PARTS+=" attack-$arch bystander-$arch cost-$arch databases-$arch events-$arch functions-$arch lives-$arch profile-$arch requests-$arch stopped-$arch storm-$arch"; done
for arch in amd64 arm64 i386 armhf; do LONG_PARTS+=" warmup-$arch"; done
for kernel in $STOCK_KERNELS; do LONG_PARTS+=" hostile-$kernel-stranger hostile-$kernel-member reader-$kernel spaces-$kernel unload-amd64-$kernel unload-arm64-$kernel"; done
LONG_PARTS+=' hostile-6.1-debug-stranger hostile-6.1-debug-member reader-6.1-rt reader-6.1-debug spaces-6.1-rt spaces-6.1-debug unload-amd64-6.1-rt'

long_part_names() { tr ' ' '\n' <<<"$LONG_PARTS"; }

check_long() { # [PART]
	local name=${1:-fuzz}
	case " $LONG_PARTS " in
	*" $name "*) part "$name" long_part "$name" ;;
	*)
		echo "check.sh: no part '$name': $LONG_PARTS" >&2
		exit 64
		;;
	esac
}
