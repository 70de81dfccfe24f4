#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds and runs the tests as named steps: one line per test with its seconds, then "N passed, N failed".
#
# Usage: check.sh all | lint | bench | vm ARCH KERNEL | long [PART] | matrix [PART] | build ARCH [KERNEL]
# Each step's output is in out/check/NAME.log; out/check/results has one line "ok|FAIL NAME SECONDS" per test.
set -euo pipefail
cd "$(dirname "$0")/.."

OUT=$PWD/out/check
FUZZ_SECONDS=${FUZZ_SECONDS:-10}
JOBS=$(nproc)

# --- running steps -----------------------------------------------------------------------------

# record STATUS NAME SECONDS: what the closing line counts.
record() {
	printf '%s %s %s\n' "$1" "$2" "$3" >>"$OUT/results"
	if [ "$1" = ok ]; then
		printf 'ok   %s (%s s)\n' "$2" "$3"
	else
		printf 'FAIL %s (%s s) log: %s\n' "$2" "$3" "out/check/${4:-$2}.log"
	fi
}

# step NAME COMMAND...: run it with its output in a log. Always succeeds; the failure is on record.
step() {
	local name=$1 start=$SECONDS
	shift
	if ("$@") >"$OUT/$name.log" 2>&1 </dev/null; then
		record ok "$name" $((SECONDS - start))
	else
		record FAIL "$name" $((SECONDS - start))
		tail -n 15 "$OUT/$name.log" | sed 's/^/     | /'
	fi
}

passed() { grep -qx "ok $1 [0-9]*" "$OUT/results"; }

# absorb PREFIX LOG: the lines "ok NAME SECONDS" and "FAIL NAME SECONDS" that a guest printed are tests too.
absorb() {
	local status name seconds
	while read -r status name seconds; do
		record "$status" "$1-$name" "${seconds:-0}" "$2"
	done < <(grep -aE '^(ok|FAIL) [0-9]+_[a-z_0-9]+ [0-9]+$' "$OUT/$2.log" || true)
}

begin() {
	rm -rf "$OUT"
	mkdir -p "$OUT"
	: >"$OUT/results"
}

finish() {
	local ok bad
	ok=$(grep -c '^ok ' "$OUT/results" || true)
	bad=$(grep -c '^FAIL ' "$OUT/results" || true)
	printf '%s passed, %s failed\n' "$ok" "$bad"
	[ "$bad" = 0 ] && [ "$ok" != 0 ]
}

# --- building ----------------------------------------------------------------------------------

# Clones in other folders share what is compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

configure() {
	local dir=$1
	shift
	if command -v ccache >/dev/null; then
		set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
	fi
	cmake -G Ninja -S . -B "$dir" "$@"
}

build_programs() { # ARCH
	local prefix=
	if [ "$1" != "$(dpkg --print-architecture)" ]; then
		case $1 in amd64) prefix=x86_64-linux-gnu- ;; arm64) prefix=aarch64-linux-gnu- ;; esac
	fi
	make -C tests/programs --no-print-directory -j"$JOBS" CC="${prefix}gcc" CXX="${prefix}g++" OUT="$PWD/build/$1/programs"
}

# configure_for ARCH [FLAG]...: native or cross.
configure_for() {
	local arch=$1
	shift
	if [ "$arch" != "$(dpkg --print-architecture)" ]; then set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$PWD/scripts/lab/aarch64.cmake"; fi
	configure "build/$arch" "$@"
}

build_tools() { # ARCH
	configure_for "$1"
	ninja -C "build/$1" uwind uwindd
}

build_truth() { # ARCH
	configure_for "$1" -DUWIND_TRUTH=ON
	ninja -C "build/$1" truth_step truth_walk truth_kernel
}

build_kmod() { scripts/lab/build-kmod.sh "$1" "$2" "build/$1/kmod-$2"; } # ARCH KERNEL

build_unit() {
	configure build/check -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
		-DUWIND_TESTS=ON -DUWIND_SANITIZE=ON
	ninja -C build/check unit_tests
}

fuzz_targets() { find tests/fuzz -name 'fuzz_*.cpp' -printf '%f\n' 2>/dev/null | sed 's/\.cpp$//' | sort; }

build_fuzz() {
	local targets
	mapfile -t targets < <(fuzz_targets)
	configure build/fuzz -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
		-DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DCMAKE_C_FLAGS_DEBUG="-O1 -g1" \
		-DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link \
		-DUWIND_FUZZ=ON -DUWIND_SANITIZE=ON
	ninja -C build/fuzz "${targets[@]}"
}

# --- tests on the host -------------------------------------------------------------------------

lint_shell() {
	local files
	mapfile -t files < <(git ls-files -co --exclude-standard -- '*.sh' '*.bash' .ci/run qemu/init scripts/demo-guest.sh |
		while read -r f; do [ ! -f "$f" ] || echo "$f"; done | sort -u)
	shellcheck -x -P SCRIPTDIR "${files[@]}"
}

# Manual pages and completions against --help.
lint_pages() {
	local arch
	arch=$(dpkg --print-architecture)
	passed "build-tools-$arch" || build_tools "$arch"
	scripts/check-pages.py "build/$arch/daemon"
}

lint_steps() {
	step layers scripts/check-layers.sh
	step versions scripts/check-versions.sh
	step sizes scripts/check-sizes.sh
	step words scripts/check-words.sh
	step shellcheck lint_shell
	step pages lint_pages
}

lint_tidy() {
	configure build/check -DCMAKE_BUILD_TYPE=Debug -DUWIND_TESTS=ON -DUWIND_SANITIZE=ON >/dev/null
	find daemon -name '*.cpp' -print0 | xargs -0 -P "$JOBS" -n 4 clang-tidy -p build/check --quiet
}

# Each of Catch2's test cases counts as one test.
run_unit() {
	local start=$SECONDS total bad
	"$PWD/build/check/tests/unit_tests" --durations no >"$OUT/unit.log" 2>&1 </dev/null || true
	if total=$(sed -n 's/^All tests passed (.* in \([0-9]*\) test cases\{0,1\}).*/\1/p' "$OUT/unit.log") && [ -n "$total" ]; then
		bad=0
	else
		total=$(sed -n 's/^test cases: *\([0-9]*\) .*/\1/p' "$OUT/unit.log")
		bad=$(sed -n 's/^test cases:.* \([0-9]*\) failed.*/\1/p' "$OUT/unit.log")
	fi
	if [ -z "$total" ] || [ -z "$bad" ]; then
		record FAIL unit $((SECONDS - start))
	elif [ "$bad" = 0 ]; then
		printf 'ok   unit: %s test cases (%s s)\n' "$total" $((SECONDS - start))
	else
		printf 'FAIL unit: %s of %s test cases (%s s) log: out/check/unit.log\n' "$bad" "$total" $((SECONDS - start))
	fi
	if [ "${bad:-1}" != 0 ]; then tail -n 60 "$OUT/unit.log" | sed 's/^/     | /'; fi
	if [ -n "$total" ] && [ -n "$bad" ]; then
		for ((i = 0; i < total - bad; i++)); do echo "ok unit-case 0"; done >>"$OUT/results"
		for ((i = 0; i < bad; i++)); do echo "FAIL unit-case 0"; done >>"$OUT/results"
	fi
}

run_fuzz() { # TARGET SECONDS [RUNS]
	local corpus=tests/fuzz/corpus/${1#fuzz_} work=$OUT/corpus/$1
	mkdir -p "$work"
	nice "build/fuzz/tests/$1" -max_total_time="$2" -runs="${3:--1}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$OUT/$1-" "$work" "$corpus"
}

# The last third of the time finds no new edge.
saturate_fuzz() { # TARGET SECONDS
	local log=$OUT/$1-last-third before after
	run_fuzz "$1" $(($2 * 2 / 3))
	run_fuzz "$1" $(($2 / 3)) 2>&1 | tee "$log"
	before=$(sed -n 's/^#[0-9]*\tINITED *cov: \([0-9]*\) .*/\1/p' "$log")
	after=$(sed -n 's/^#[0-9]*\tDONE *cov: \([0-9]*\) .*/\1/p' "$log")
	echo "edges after two thirds: $before, at the end: $after"
	[ -n "$before" ] && [ "$before" = "$after" ]
}

# check_rows ARCH: every program and library of a Debian install of about 300 packages against readelf.
check_rows() {
	local list=$OUT/files-$1 root
	root=$(scripts/lab/sysroot.sh "$1" install.list)
	find "$root" -xdev -type f \( -perm -u+x -o -name '*.so*' \) -print | sort >"$list"
	UWIND_FILES=$list build/check/tests/unit_tests '[.long]'
}

# Every file that three toolchains made against their readelf and its own .eh_frame.
check_sframe() {
	UWIND_SFRAME_FILES=$(scripts/lab/sframe-corpus.sh) build/check/tests/unit_tests '[.sframe]'
}

# Debian's releases, and the version of SFrame that their binutils write.
SFRAME_MADE_BY=$'bookworm sframe-v1\ntrixie sframe-v2\nsid sframe-v3'

# The core against a shadow stack, in a program with .sframe that another release's toolchain made.
truth_sframe() { # SUITE METHOD VARIANT
	build/amd64/tests/truth_step --method "$2" "$(scripts/lab/sframe-victim.sh "$1" amd64 "$3")/steps_victim"
}

sframe_steps() {
	local suite method variant
	while read -r suite method; do
		for variant in plain now ibt; do step "$method-$variant" truth_sframe "$suite" "$method" "$variant"; done
	done <<<"$SFRAME_MADE_BY"
}

# Two at a time.
fuzz_steps() { # FUNCTION SECONDS
	local target pids=()
	for target in $(fuzz_targets); do
		step "$target" "$1" "$target" "$2" &
		pids+=($!)
		if [ ${#pids[@]} = 2 ]; then
			wait "${pids[0]}"
			pids=("${pids[1]}")
		fi
	done
	if [ ${#pids[@]} != 0 ]; then wait "${pids[@]}"; fi
}

# --- tests in VMs ------------------------------------------------------------------------------

# One boot runs all cases; the last of them is the demo.
run_vm() { # ARCH KERNEL COMMAND...
	local arch=$1 kernel=$2
	shift 2
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$arch" --kernel "$kernel" --timeout 1800 --out "$OUT/vm-$arch" \
		--pkg python3 --pkg perl --pkg gawk --pkg sqlite3 --pkg openssl --pkg xz-utils --pkg binutils --pkg libc6-dbg \
		--add "build/$arch/programs" --add "build/$arch/tests/truth_kernel" --add qemu/cases --add scripts/demo-work --add scripts/demo-guest.sh -- "$@"
}

vm_steps() { # ARCH
	# Both machines and the host's tests share the processors: how long rmmod takes is check-long's.
	step "vm-$1" run_vm "$1" 6.1 env CYCLES=3 RMMOD_LIMIT_MS=20000 /root/cases/run-all.sh
	absorb "$1" "vm-$1"
	step "demo-$1" scripts/demo-assert.py "$OUT/vm-$1/demo/report.json"
}

built_for_vm() { passed "build-tools-$1" && passed "build-truth-$1" && passed "build-kmod-$1" && passed "build-programs-$1"; }

build_for_vm() { # ARCH [KERNEL]
	step "build-kmod-$1" build_kmod "$1" "${2:-6.1}"
	step "build-programs-$1" build_programs "$1"
	step "build-tools-$1" build_tools "$1"
	step "build-truth-$1" build_truth "$1"
}

# The core against a shadow stack and against gdb: about 3 and 10 seconds.
truth_steps() { # STACKS of each program [PROGRAM]...
	step truth-step build/amd64/tests/truth_step build/amd64/programs/steps_victim
	step truth-step-sframe build/amd64/tests/truth_step --method sframe-v1 build/amd64/programs/steps_victim_sframe
	step truth-gdb tests/truth/stock_programs.py build/amd64/tests/truth_walk "$@"
}

# The same in a guest without the module; a CPU signs return addresses or does not.
truth_guest() { # CPU STACKS PROGRAM...
	local cpu=$1
	shift
	UWIND_NO_BUILD=1 qemu/run.sh --arch arm64 --kernel 6.1 --no-module --cpu "$cpu" --timeout 1100 --out "$OUT/truth-${cpu%%,*}" \
		--pkg gdb --pkg libunwind8 --pkg python3 --pkg perl --pkg gawk --pkg sqlite3 --pkg openssl --pkg xz-utils \
		--add build/arm64/programs --add tests/truth --add build/arm64/tests/truth_step --add build/arm64/tests/truth_walk \
		-- /root/truth/guest.sh "$@"
}

# The same on arm64: signed return addresses, and the atomic instructions without which no program can be stepped through.
sframe_guest() { # SUITE METHOD
	local victim
	victim=$(scripts/lab/sframe-victim.sh "$1" arm64 plain "/root/$2")
	UWIND_NO_BUILD=1 qemu/run.sh --arch arm64 --kernel 6.1 --no-module --cpu max,pauth-impdef=on --timeout 900 --out "$OUT/$2-arm64" \
		--add "$victim:/root/$2" --add build/arm64/tests/truth_step -- /root/truth_step --method "$2" "/root/$2/steps_victim"
}

sframe_guest_steps() {
	local suite method
	while read -r suite method; do step "$method-arm64" sframe_guest "$suite" "$method"; done <<<"$SFRAME_MADE_BY"
}

host_tests() {
	lint_steps
	if passed build-truth-amd64 && passed build-programs-amd64; then truth_steps 40 python3 perl gawk sqlite3 openssl bash git cc1plus threads; fi
	if passed "build-tools-$(dpkg --print-architecture)"; then step install scripts/check-install.sh "build/$(dpkg --print-architecture)"; fi
	if passed build-unit; then run_unit; fi
	if passed build-fuzz; then fuzz_steps run_fuzz "$FUZZ_SECONDS"; fi
}

run_bench() {
	configure build/bench -DUWIND_BENCH=ON >/dev/null
	ninja -C build/bench bench_core bench_lower >/dev/null
	build/bench/tests/bench_core
	build/bench/tests/bench_lower
}

# --- verbs -------------------------------------------------------------------------------------

# Everything is built first, since compiling and emulated machines would slow each other down;
# then the two machines run next to the host's tests.
check_all() {
	local arch
	step setup scripts/setup.sh
	for arch in amd64 arm64; do build_for_vm "$arch"; done
	step build-unit build_unit
	step build-fuzz build_fuzz
	for arch in amd64 arm64; do
		if built_for_vm "$arch"; then vm_steps "$arch" & fi
	done
	(host_tests)
	wait
}

check_long() {
	local arch
	case ${1:-fuzz} in
	fuzz)
		step build-fuzz build_fuzz
		if passed build-fuzz; then fuzz_steps saturate_fuzz 60; fi
		;;
	fuzz-sframe | fuzz-rows | fuzz-walk)
		step build-fuzz build_fuzz
		if passed build-fuzz; then step "$1" run_fuzz "${1/-/_}" 1200 20000000; fi
		;;
	truth)
		step build-programs-amd64 build_programs amd64
		step build-truth-amd64 build_truth amd64
		if passed build-truth-amd64; then truth_steps 1700; fi
		;;
	truth-arm64)
		step build-programs-arm64 build_programs arm64
		step build-truth-arm64 build_truth arm64
		step truth-signed truth_guest max,pauth-impdef=on 60
		step truth-unsigned truth_guest cortex-a72 60 python3 perl xz threads
		;;
	unload-amd64 | unload-arm64) vm_part "${1#*-}" 6.1 60_unload CYCLES=100 ;;
	stopped-amd64 | stopped-arm64) vm_part "${1#*-}" 6.1 34_stopped STOPS=500 ;;
	attack-amd64 | attack-arm64) vm_part "${1#*-}" 6.1 51_attack CALLS=1000000 ;;
	lives-amd64 | lives-arm64) vm_part "${1#*-}" 6.1 '35_lives 36_trouble' LOADS=10000 ;;
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
	service)
		step deb scripts/deb.sh amd64
		if passed deb; then step service scripts/check-service.sh "$OUT/service"; fi
		tail -n 12 "$OUT/service.log"
		;;
	packages)
		step deb make --no-print-directory deb
		if passed deb; then step packages scripts/check-packages.sh; fi
		;;
	*)
		echo "check.sh: no part '$1': fuzz, fuzz-{sframe,rows,walk}, packages, rows, service, sframe, sframe-arm64, truth, truth-arm64, and {attack,lives,stopped,unload}-{amd64,arm64}" >&2
		exit 64
		;;
	esac
}

vm_case() { # ARCH KERNEL CASES VARIABLE=VALUE...
	local cases
	read -ra cases <<<"$3"
	step "vm-$1" run_vm "$1" "$2" env "${@:4}" CASE_LIMIT=1500 /root/cases/run-all.sh "${cases[@]}"
	absorb "$1" "vm-$1"
}

# --- every kernel ------------------------------------------------------------------------------

kernels_of() { # ARCH
	echo 6.1 6.12 7.2 6.1-rt 6.12-rt 7.2-rt
	if [ "$1" = arm64 ]; then echo 6.12-16k 7.2-16k; fi
}

# From nothing, with the compiler's extra warnings and sparse: neither says a word. Debian's headers of 7.2 lack the script
# that looks whether there is a sparse, and then go on without: KBUILD_CHECKSRC insists.
build_clean() { # ARCH KERNEL
	local dir=build/$1/clean-$2
	rm -rf "$dir"
	scripts/lab/build-kmod.sh "$1" "$2" "$dir" C=2 KBUILD_CHECKSRC=2 2>&1 | tee "$OUT/clean"
	[ -e "$dir/uwind.ko" ] && grep -q '^  CHECK ' "$OUT/clean" && ! grep -nE 'warning:|error:' "$OUT/clean"
}

check_matrix() {
	local part=${1:-build-$(dpkg --print-architecture)} arch kernel
	case $part in
	build-amd64 | build-arm64)
		arch=${part#build-}
		for kernel in $(kernels_of "$arch"); do step "clean-$arch-$kernel" build_clean "$arch" "$kernel"; done
		;;
	vm-amd64-* | vm-arm64-*)
		arch=${part#vm-} && arch=${arch%%-*}
		vm_part "$arch" "${part#vm-"$arch"-}" "${CASE:-}" CYCLES=3 RMMOD_LIMIT_MS="${RMMOD_LIMIT_MS:-20000}"
		;;
	*)
		echo "check.sh: no part '$part' of the matrix: build-ARCH, vm-ARCH-KERNEL (as vm-arm64-6.12)" >&2
		exit 64
		;;
	esac
}

vm_part() { # ARCH KERNEL CASES VARIABLE=VALUE...
	build_for_vm "$1" "$2"
	if built_for_vm "$1"; then vm_case "$@"; fi
}

main() {
	local verb=${1:-all}
	shift || true
	case $verb in
	build)
		build_programs "$1"
		build_kmod "$1" "${2:-6.1}"
		build_tools "$1"
		return
		;;
	bench)
		run_bench
		return
		;;
	esac
	begin
	case $verb in
	all) check_all ;;
	lint)
		lint_steps
		step tidy lint_tidy
		;;
	vm)
		vm_part "$1" "${2:-6.1}" "${CASE:-}" CYCLES="${CYCLES:-10}" RMMOD_LIMIT_MS="${RMMOD_LIMIT_MS:-1000}"
		;;
	long) check_long "$@" ;;
	matrix) check_matrix "$@" ;;
	*)
		echo "check.sh: no verb '$verb'" >&2
		exit 64
		;;
	esac
	finish
}

main "$@"
