# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Tests in virtual machines. Sourced by check.sh.

# On one kernel return addresses are signed, and there are shadow stacks, which only later QEMUs know.
machine_of() { # ARCH KERNEL
	case $1-$2 in arm64-7.2) echo --emulator sid --cpu max,pauth-impdef=on ;; esac
}

# The same without SVE: to copy stacks, perf asks for SVE's registers where there are any, and its clocks have no place for them.
perf_machine_of() { # ARCH KERNEL
	case $1-$2 in
	arm64-7.2 | arm64-6.12*) echo "$(machine_of "$@") --cpu max,pauth-impdef=on,sve=off" ;;
	*) machine_of "$@" ;;
	esac
}

# Where a module with delays at named points is tested as well (38_*); STALL=1: everywhere.
is_stalled() { [ -n "${STALL:-}" ] || [ "$1-$2" = amd64-6.1 ]; } # ARCH KERNEL

# What a host that stalls for a minute would bring about is no complaint.
PATIENT_KERNEL='rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60'

# Emulated processors do not have the faults that these protect from. Where the kernel's pages are not in user space's tables, each
# system call empties QEMU's cache of both. And what the kernel clears before it hands it out hides what one forgets to clear.
unprotected() { # ARCH
	case $1 in
	amd64) echo mitigations=off init_on_alloc=0 ;;
	arm64) echo mitigations=off kpti=0 init_on_alloc=0 ;;
	esac
}

# GUEST_OUT: another folder than the machine's.
# COUNTED=PROCESSORS: guest time counts the instructions of so many, so that what takes long does not depend on what else the host does;
# and the kernel does without what protects from processors' faults.
# FOR_GUEST: options of qemu/run.sh besides.
run_vm() { # ARCH KERNEL COMMAND...
	local arch=$1 kernel=$2 machine more
	shift 2
	read -ra more <<<"${FOR_GUEST:-}"
	case $arch in
	amd64) more+=(--pkg bzip2:i386 --pkg lua5.4:i386) ;;
	arm64) more+=(--pkg bzip2:armhf --pkg lua5.4:armhf) ;;
	esac
	if [ -z "${COUNTED:-}" ] && is_stalled "$arch" "$kernel"; then
		more+=(--add "build/$arch/stall-kmod-$kernel/uwind.ko:/root/stall/" --add "build/$arch/stall-kmod-$kernel/uwind_resident1.ko:/root/stall/")
	fi
	read -ra machine <<<"$(machine_of "$arch" "$kernel")"
	[ -z "${COUNTED:-}" ] || machine+=(--icount=2 --cpus "$COUNTED" --unpacked --append "$(unprotected "$arch")")
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$arch" --kernel "$kernel" "${machine[@]}" --timeout 5400 --watch 300 --append "$PATIENT_KERNEL" --out "${GUEST_OUT:-$OUT/vm-$arch-$kernel}" \
		--pkg python3 --pkg python3-pytest --pkg perl --pkg gawk --pkg sqlite3 --pkg openssl --pkg xz-utils --pkg linux-perf --pkg binutils --pkg libc6-dbg --pkg libboost-context1.74.0 --pkg libbpf1 \
		"${more[@]}" --add "build/$arch/test-kmod-$kernel/uwind_stress.ko" --add "build/$arch/test-kmod-$kernel/trace_reader.ko" --add "build/$arch/test-kmod-$kernel/rcu_reader.ko" --add "build/$arch/programs" --add "build/$arch/tests/truth_kernel" --add "build/$arch/tests/bpf_cookies" --add "build/$arch/tests/cookies.bpf.o" --add qemu/cases --add scripts/demo-work --add scripts/demo-guest.sh -- "$@"
}

# The first machine of this only sleeps: it is started again. No machine starts without a second's silence.
restarted_guest() {
	local fake=$OUT/restarted machine
	machine=$(command -v qemu-system-x86_64)
	rm -rf "$fake"
	mkdir -p "$fake"
	printf '#!/bin/sh\n[ ! -e %s/slept ] || exec %s "$@"\n: >%s/slept\nexec sleep 600\n' "$fake" "$machine" "$fake" >"$fake/${machine##*/}"
	chmod +x "$fake/${machine##*/}"
	PATH=$fake:$PATH UWIND_SILENCE=1 qemu/run.sh --arch amd64 --no-module --unpacked -- echo it runs >"$fake/said" 2>"$fake/noted"
	grep -q 'it is started again' "$fake/noted" && [ "$(cat "$fake/said")" = 'it runs' ]
}

# One boot runs the given cases, or all, the last of which is the demo.
vm_cases() { # ARCH KERNEL CASES [VARIABLE=VALUE]...
	local name=vm-$1-$2 cases
	read -ra cases <<<"$3"
	step "$name" run_vm "$1" "$2" env "${@:4}" /root/cases/run-all.sh "${cases[@]}"
	absorb "$1-$2" "$name" "$OUT/$name/console"
}

built_for_vm() { # ARCH KERNEL
	passed "build-tools-$1" && passed "build-truth-$1" && passed "build-kmod-$1-$2" && passed "build-test-kmod-$1-$2" &&
		{ ! is_stalled "$1" "$2" || passed "build-stall-kmod-$1-$2"; } &&
		passed "build-programs-$1"
}

build_for_vm() { # ARCH KERNEL...
	local arch=$1 kernel
	shift
	for kernel in "$@"; do
		step "build-kmod-$arch-$kernel" build_kmod "$arch" "$kernel"
		step "build-test-kmod-$arch-$kernel" build_test_kmod "$arch" "$kernel"
		if is_stalled "$arch" "$kernel"; then step "build-stall-kmod-$arch-$kernel" build_stall_kmod "$arch" "$kernel"; fi
	done
	step "build-programs-$arch" build_programs "$arch"
	step "build-tools-$arch" build_tools "$arch"
	step "build-truth-$arch" build_truth "$arch"
}

vm_part() { # ARCH KERNEL CASES VARIABLE=VALUE...
	build_for_vm "$1" "$2"
	if built_for_vm "$1" "$2"; then vm_cases "$1" "$2" "$3" CASE_LIMIT=1500 "${@:4}"; fi
}

# Databases at work, whose packages no other case needs.
databases_part() { # ARCH KERNEL
	FOR_GUEST='--pkg postgresql-15 --pkg e2fsprogs --add qemu/bench --memory 4096' vm_part "$1" "$2" 65_databases "TRANSACTIONS=${TRANSACTIONS:-100}" CASE_LIMIT=3000
}

# The perf that defers chains is of a later release than the guest, and runs with its own libraries.
newest_perf() {
	local root=$PWD/build/newest-perf deb debs
	debs=$(scripts/lab/debs.sh --suite sid amd64 linux-perf)
	rm -rf "$root"
	mkdir -p "$root"
	for deb in $debs; do dpkg-deb -x "$deb" "$root"; done
	cat >"$root/perf" <<-'END'
		#!/bin/sh
		exec /newest/usr/lib64/ld-linux-x86-64.so.2 --library-path /newest/usr/lib/x86_64-linux-gnu /newest/usr/bin/perf "$@"
	END
	chmod +x "$root/perf"
}

# Many events of each kind. 15 minutes a kernel.
events_part() { # ARCH KERNEL
	local more=() FOR_GUEST
	FOR_GUEST=$(perf_machine_of "$1" "$2")
	if [ "$1-$2" = amd64-7.2 ]; then
		step newest-perf newest_perf
		FOR_GUEST+=' --add build/newest-perf:/newest' more=(PERF=/newest/perf)
	fi
	vm_part "$1" "$2" '61_events 62_convert 63_kernel_frames 64_off_cpu' EXACT=1 EVENTS=100000 TIMES=100 CASE_LIMIT=3000 "${more[@]}"
}

# Several of these parts may run side by side: how long rmmod takes is told by unload-*.
UNTIMED=RMMOD_LIMIT_MS=20000

# Functions of the kernel that are traced, 10,000 sessions beside other tracers, and what that costs where guest time counts
# instructions. The release's own QEMU is not up to two processors that patch code (66_call_sites).
functions_part() { # ARCH
	local kernel emulator='--emulator sid' traced='66_call_sites 66_function_costs 66_function_names 66_functions'
	for kernel in 6.1 7.2; do
		FOR_GUEST=$emulator vm_part "$1" "$kernel" "$traced" EXACT=1 EVENTS=100000 ATTACHES=10000 PROCESSORS=2 CASE_LIMIT=3000 $UNTIMED
	done
	FOR_GUEST=$emulator vm_part "$1" 6.1-debug "$traced" EXACT=1 ATTACHES=10000 PROCESSORS=2 CASE_LIMIT=5000 $UNTIMED
	for kernel in $STOCK_KERNELS; do
		build_for_vm "$1" "$kernel"
		if built_for_vm "$1" "$kernel"; then step "ftrace-$1-$kernel" ftrace_guest "$1" "$kernel"; fi
	done
	grep -h '^figure: ftrace' "$OUT"/ftrace-*.log || true
}

ftrace_guest() { # ARCH KERNEL
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" --icount --cpus 1 --timeout 900 --out "$OUT/ftrace-$1-$2" \
		--pkg python3 --add qemu/cost -- python3 /root/cost/ftrace.py "arch=$1" "kernel=$2"
}

# Memory maps that begin and end for ten minutes, while those who look for one are held up beside others. 11 minutes.
spaces_part() { STALL=1 vm_part "$1" "$2" 38_spaces "CROWD=${CROWD:-600}" $UNTIMED; } # ARCH KERNEL

# Others try for ten minutes to become the reader, and to be read as somebody else, while tasks are held up in the midst of it.
# 12 minutes.
reader_part() { STALL=1 vm_part "$1" "$2" '38_held 38_exec 38_windows' "ATTACK=${ATTACK:-600}" $UNTIMED; } # ARCH KERNEL

# What a user without privilege can cost others in ten minutes, who may open /dev/uwind, or not.
# 15 minutes; of 6.1-debug 40.
hostile_part() { # ARCH KERNEL stranger|member
	build_for_vm "$1" "$2"
	if built_for_vm "$1" "$2"; then step "hostile-$2-$3" hostile_guest "$1" "$2" "$3"; fi
	grep -a '^|' "$OUT/hostile-$2-$3.log" || true
}

# The guest counts time by instructions, four nanoseconds each, of one processor: several would take turns, and each count the
# others' time as its own. So figures do not depend on what else the host does. A kernel that checks itself would do little
# else at that speed: a nanosecond each.
hostile_guest() { # ARCH KERNEL stranger|member
	local time=(--icount=2 --timeout 2400)
	case $2 in *-debug) time=(--icount --timeout 5400 --memory 4096) ;; esac
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" "${time[@]}" --cpus 1 --out "$OUT/hostile-$2-$3" --pkg python3 \
		--add "build/$1/programs" --add qemu/hostile --add qemu/cases/remove_module.py:/root/hostile/ -- \
		python3 /root/hostile/guest.py "$3" "${HOSTILE:-600}"
}

# What others feel of a process that is sampled. On one processor, for hostile_guest's reason. 9 minutes a kernel.
bystander_guest() { # ARCH KERNEL
	local machine
	read -ra machine <<<"$(machine_of "$1" "$2")"
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" "${machine[@]}" --icount=2 --cpus 1 --timeout 2400 --out "$OUT/bystander-$1-$2" \
		--add "build/$1/programs" --add qemu/bystander -- env "SECONDS_EACH=${SECONDS_EACH:-30}" sh /root/bystander/guest.sh
}

# What a sample costs, by a processor that counts its instructions. 2 minutes.
cost_guest() { # ARCH KERNEL
	local machine
	read -ra machine <<<"$(perf_machine_of "$1" "$2")"
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" "${machine[@]}" --icount --cpus 1 --timeout 900 --out "$OUT/cost-$1-$2" \
		--pkg python3 --pkg linux-perf --add "build/$1/programs" --add qemu/cost -- sh /root/cost/guest.sh
}

# Where the kernel loads modules, without KASLR: all but its own code.
modules_of() { # ARCH KERNEL
	case $1-$2 in
	amd64-*) echo 0xffffffffc0000000+0x3f000000 ;;
	arm64-6.1) echo 0xffff800000000000+0x8000000 ;;
	arm64-*) echo 0xffff800000000000+0x80000000 ;;
	esac
}

profile_guest() { # ARCH KERNEL same|other SECONDS
	local name=profile-$1-$2-$3-$4 machine
	read -ra machine <<<"$(machine_of "$1" "$2")"
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" "${machine[@]}" --icount --cpus 1 --timeout 1500 --out "$OUT/$name" \
		--append nokaslr --count "$(modules_of "$1" "$2")" --pkg python3 --add "build/$1/programs" --add qemu/cost \
		-- sh /root/cost/profile.sh "$3" "$4"
}

# Which functions a sample's instructions belong to. 10 minutes a kernel.
profile_part() { # ARCH KERNEL
	local way seconds runs=()
	build_for_vm "$1" "$2"
	built_for_vm "$1" "$2" || return 0
	for way in other same; do
		for seconds in 1 2; do
			step "profile-$1-$2-$way-$seconds" profile_guest "$1" "$2" $way $seconds
			runs+=("$OUT/profile-$1-$2-$way-$seconds:$OUT/profile-$1-$2-$way-$seconds.log")
		done
	done
	step "profile-$1-$2" qemu/cost/profile.py "arch=$1" "kernel=$2" "${runs[@]}"
	grep -h '^figure:' "$OUT/profile-$1-$2.log" || true
}

# One group of `make bench-vm`; on one processor, for hostile_guest's reason.
bench_guest() { # ARCH KERNEL FOLDER GROUP [ARGUMENT]...
	local machine pkgs=() name
	read -ra machine <<<"$(perf_machine_of "$1" "$2")"
	for name in python3 linux-perf wrk nginx postgresql-15 sqlite3 gcc libc6-dev binutils; do pkgs+=(--pkg "$name"); done
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel "$2" "${machine[@]}" --icount --cpus 1 --memory 6144 --timeout 1800 --out "$3" \
		"${pkgs[@]}" --add "build/$1/programs" --add qemu/bench -- sh /root/bench/run.sh "${@:4}"
}

# run_bench_vm ARCH KERNEL [RENEW]: guests' ratios, in out/bench/vm-ARCH-KERNEL. GROUP, WORK and HZ choose some; those of another
# group are then what was measured before.
run_bench_vm() {
	local out=$PWD/out/bench/vm-$1-$2 baseline=tests/bench/vm-$1-$2.json group renew=${3:-}
	if [ -n "$renew" ] && [ -n "${GROUP:-}${WORK:-}${HZ:-}" ]; then
		echo "a baseline is made of everything: RENEW=1 without GROUP, WORK and HZ" >&2
		return 64
	fi
	mkdir -p "$OUT" "$out/guest"
	build_for_bench_vm "$1" "$2"
	for group in ${GROUP:-workloads growth rate}; do
		case $group in
		workloads) bench_guest "$1" "$2" "$out/guest" workloads "${WORK:-python3,gcc,sqlite3,nginx,postgres}" "${HZ:-99,999,4999}" ;;
		growth | rate) bench_guest "$1" "$2" "$out/guest" "$group" ;;
		*) echo "bench-vm: no group '$group': workloads, growth, rate" >&2 && return 64 ;;
		esac
	done
	scripts/bench/bench.py guest "$out" "$out/guest"
	if [ -n "$renew" ]; then scripts/bench/bench.py renew "$out" "$baseline"; fi
	scripts/bench/bench.py show "$out" "$baseline"
}

build_for_bench_vm() { # ARCH KERNEL
	{ build_kmod "$1" "$2" && build_programs "$1" && build_tools "$1"; } >"$OUT/bench-vm-build.log" 2>&1 ||
		{ tail -n 30 "$OUT/bench-vm-build.log" >&2 && return 1; }
}

# What runs programs of an architecture.
machine_for() { case $1 in i386) echo amd64 ;; armhf) echo arm64 ;; *) echo "$1" ;; esac } # ARCH

# Programs that uwind has never met, of that architecture. On one processor, for hostile_guest's reason.
warmup_guest() { # MACHINE ARCH
	local pkgs=(--pkg python3 --pkg e2fsprogs) name
	for name in ruby php-cli jq lua5.4 tcl gawk sqlite3; do pkgs+=(--pkg "$name:$2"); done
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$1" --kernel 6.1 --icount=2 --cpus 1 --disk 1024 --timeout 2400 --out "$OUT/warmup-$2" "${pkgs[@]}" \
		--add qemu/cases --add qemu/warmup -- sh /root/warmup/guest.sh "$2"
}

# Programs of the release whose C library switches shadow stacks on.
shadow_guest() {
	local root=$PWD/build/shadow deb debs machine
	debs=$(scripts/lab/debs.sh --suite sid arm64 python3 perl-base gawk sqlite3 bash xz-utils)
	rm -rf "$root"
	mkdir -p "$root"
	for deb in $debs; do dpkg-deb -x "$deb" "$root"; done
	read -ra machine <<<"$(machine_of arm64 7.2)"
	UWIND_NO_BUILD=1 qemu/run.sh --arch arm64 --kernel 7.2 "${machine[@]}" --timeout 600 --out "$OUT/shadow" --pkg python3 \
		--add "$root:/sid" --add qemu/cases --add qemu/shadow --add scripts/demo-work -- sh /root/shadow/guest.sh
}

# A machine that is broken in one way.
doctor_guest() { # absent | forbidden | without_option | locked_down
	local kernel=6.1 options=(--no-module) release
	case $1 in
	forbidden) options=() ;;
	without_option) kernel=6.1-bare ;;
	locked_down)
		release=$(cat "$(scripts/lab/fetch-kernel.sh amd64 6.1)/release")
		options+=(--append lockdown=integrity --add "build/amd64/kmod-6.1/uwind.ko:/lib/modules/$release/updates/dkms/")
		;;
	esac
	UWIND_NO_BUILD=1 qemu/run.sh --arch amd64 --kernel $kernel "${options[@]}" --timeout 300 --out "$OUT/doctor-$1" \
		--add qemu/doctor -- /root/doctor/guest.sh "$1"
}
