# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Tests on this machine. Sourced by check.sh.

lint_shell() {
	local files
	mapfile -t files < <(git ls-files -co --exclude-standard -- '*.sh' '*.bash' .ci/run qemu/init scripts/demo-guest.sh |
		while read -r f; do [ ! -f "$f" ] || echo "$f"; done | sort -u)
	shellcheck -x -P SCRIPTDIR "${files[@]}"
}

# Manual pages and completions against --help.
lint_pages() {
	passed "build-tools-$HOST" || build_tools "$HOST"
	scripts/check-pages.py "build/$HOST/daemon"
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

# The core against a shadow stack and against gdb: about 3 and 10 seconds.
truth_steps() { # STACKS of each program [PROGRAM]...
	step truth-step build/amd64/tests/truth_step build/amd64/programs/steps_victim
	step truth-step-sframe build/amd64/tests/truth_step --method sframe-v1 build/amd64/programs/steps_victim_sframe
	step truth-gdb tests/truth/stock_programs.py build/amd64/tests/truth_walk "$@"
}

# The matrix's programs of one ABI, or some of them.
matrix_programs() { # ABI FOLDER [PATTERN]
	rm -rf "$2"
	tests/truth/matrix/build.sh "$@"
}

# The table of what this machine runs itself.
matrix_host() { # FOLDER
	tests/truth/matrix/run.sh build/amd64/tests/truth_matrix "$1"
}

# Some kernels of this architecture run no 32-bit programs.
runs_matrix() { # FOLDER
	local program
	for program in "$1"/*; do break; done
	"$program" >/dev/null 2>&1 || [ $? != 126 ]
}

# Both word sizes as a distribution builds them: about 6 seconds. What this machine cannot run is said.
matrix_quick() {
	local abi
	for abi in amd64 i386; do
		matrix_programs $abi build/matrix/quick-$abi "$abi,gcc,O2,*"
		if runs_matrix build/matrix/quick-$abi; then
			matrix_host build/matrix/quick-$abi
		else
			note "left out: this machine's kernel runs no $abi programs; PART=truth-i386 compares some in a guest"
		fi
	done
}

# Of matrix-arm-SET those of one instruction set.
matrix_pattern() { case $1 in matrix-arm-*) echo "*,${1##*-},*" ;; *) echo '*' ;; esac }

# In libraries one instruction of 64 is enough: emulated steps are slow.
matrix_guest() { # FOLDER
	UWIND_NO_BUILD=1 qemu/run.sh --arch arm64 --kernel 6.1 --no-module --cpu max,pauth-impdef=on --timeout 1150 --out "$OUT/guest" \
		--pkg libc6:armhf --pkg libstdc++6:armhf --add tests/truth/matrix --add build/arm64/tests/truth_matrix --add "$1:/root/programs" \
		-- /root/matrix/run.sh /root/truth_matrix /root/programs 64
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

# An architecture's 32-bit companion, as Debian calls it.
compat_of() { case $1 in amd64) echo i386 ;; arm64) echo armhf ;; esac; }

# Debian's perl and bash of another architecture; the packages are there for the guest's own.
lone_programs() { # ARCH FOLDER
	local package path
	mkdir -p "$2"
	while read -r package path; do
		dpkg-deb --fsys-tarfile "$(scripts/lab/debs.sh --only "$1" "$package")" | tar -xO "$path" >"$2/${path##*/}" || return
		chmod +x "$2/${path##*/}"
	done <<-'LIST'
		perl-base ./usr/bin/perl
		bash ./bin/bash
	LIST
}

# 32-bit programs in a guest of either architecture, and what compares them.
guest_of_32() { # ARCH NAME RUN_OPTION... -- COMMAND...
	local arch=$1 name=$2 compat package more=()
	shift 2
	compat=$(compat_of "$arch")
	lone_programs "$compat" "build/lone-$compat" || return
	for package in python3.11-minimal xz-utils sqlite3 libcrypt1 libtinfo6; do more+=(--pkg "$package:$compat"); done
	UWIND_NO_BUILD=1 qemu/run.sh --arch "$arch" --kernel 6.1 --timeout 1150 --out "$OUT/$name" "${more[@]}" \
		--add "build/lone-$compat:/root/lone" --add tests/truth "$@"
}

# Against gdb: there libunwind knows nothing of them.
truth_guest_32() { # ARCH STACKS PROGRAM...
	guest_of_32 "$1" truth-32 --no-module --pkg gdb --pkg libunwind8 --add "build/$1/tests/truth_walk" \
		-- env TRUTH_KEEP=/out PATH="/root/lone:$PATH" python3.11 /root/truth/stock_programs.py /root/truth_walk "${@:2}"
}

# With frame pointers; of 32-bit Arm's conventions the kernel knows APCS's alone.
framed_program() { # ABI FOLDER
	local compiler flags=(-O2 -g -Wall -Wextra -fno-omit-frame-pointer -Itests/programs)
	case $1 in
	i386) compiler=gcc flags+=(-mno-omit-leaf-frame-pointer -m32 -idirafter /usr/include/x86_64-linux-gnu) ;;
	armhf) compiler=arm-linux-gnueabihf-gcc flags+=(-marm -mapcs-frame -funwind-tables) ;;
	*) compiler=$(cross_prefix "$1")gcc flags+=(-mno-omit-leaf-frame-pointer) ;;
	esac
	mkdir -p "$2"
	"$compiler" "${flags[@]}" -o "$2/framed-$1" tests/truth/framed.c
}

# Beside perf, with programs of the kernel's own word size as well, and one of each with frame pointers.
perf_guest() { # ARCH SECONDS
	local framed=build/framed-$1
	framed_program "$1" "$framed" || return
	framed_program "$(compat_of "$1")" "$framed" || return
	guest_of_32 "$1" perf --pkg linux-perf --pkg gawk --pkg openssl --add "$framed:/root/framed" \
		-- env PATH="/root/lone:$PATH" python3.11 /root/truth/against_perf.py "$2" /root/framed \
		python3 perl bash xz sqlite3 gawk openssl
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

# A kernel that checks indirect calls is refused as the module is compiled, and its maker is told.
refuse_cfi() {
	! scripts/lab/build-kmod.sh amd64 6.1 build/amd64/cfi KCFLAGS=-DCONFIG_CFI_CLANG=1 >"$OUT/cfi" 2>&1 || return 1
	grep -m 1 "control-flow integrity.*build a kernel without it" "$OUT/cfi"
}

host_tests() {
	lint_steps
	step clean-amd64-6.1 build_clean amd64 6.1
	step refused-cfi refuse_cfi
	if passed build-truth-amd64 && passed build-programs-amd64; then truth_steps 40 python3 perl gawk sqlite3 openssl bash git cc1plus threads; fi
	if passed build-truth-amd64; then step truth-matrix matrix_quick; fi
	step fetch scripts/check-fetch.sh
	if passed "build-tools-$HOST"; then step install scripts/check-install.sh "build/$HOST"; fi
	if passed build-unit; then run_unit; fi
	if passed build-fuzz; then fuzz_steps run_fuzz "$FUZZ_SECONDS"; fi
}

run_bench() {
	configure build/bench -DUWIND_BENCH=ON >/dev/null
	ninja -C build/bench bench_core bench_lower >/dev/null
	build/bench/tests/bench_core
	build/bench/tests/bench_lower
}
