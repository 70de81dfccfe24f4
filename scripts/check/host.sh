# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Tests on this machine. Sourced by check.sh.

lint_shell() {
	local files
	mapfile -t files < <(git ls-files -co --exclude-standard -- '*.sh' '*.bash' .ci/run qemu/init scripts/demo-guest.sh |
		while read -r f; do [ ! -f "$f" ] || echo "$f"; done | sort -u)
	shellcheck -x -P SCRIPTDIR "${files[@]}"
}

lint_tidy() {
	configure check build/tidy -DUWIND_BATCH=1 >/dev/null
	find daemon -name '*.cpp' -print0 | xargs -0 -P "$JOBS" -n 4 clang-tidy -p build/tidy --quiet
}

# At the same addresses each time, where a program may ask for that: what libFuzzer has seen it knows by address.
run_fuzz() { # TARGET OPTION...
	local corpus=tests/fuzz/corpus/${1#fuzz_} work=$OUT/corpus/$1 fixed=()
	mkdir -p "$work"
	if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi
	"${fixed[@]}" "build/check/tests/$1" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$OUT/$1-" "${@:2}" "$work" "$corpus"
}

# What is in the corpus, and the same inputs besides each time: what it finds itself is not looked for in its folder, by the clock.
fuzz_briefly() { run_fuzz "$1" -seed=1 -runs=10000 -reload=0 -timeout=60; } # TARGET

# The last third of the time finds no new edge.
saturate_fuzz() { # TARGET SECONDS
	local log=$OUT/$1-last-third before after
	run_fuzz "$1" -max_total_time=$(($2 * 2 / 3))
	run_fuzz "$1" -max_total_time=$(($2 / 3)) 2>&1 | tee "$log"
	before=$(sed -n 's/^#[0-9]*\tINITED *cov: \([0-9]*\) .*/\1/p' "$log")
	after=$(sed -n 's/^#[0-9]*\tDONE *cov: \([0-9]*\) .*/\1/p' "$log")
	echo "edges after two thirds: $before, at the end: $after"
	[ -n "$before" ] && [ "$before" = "$after" ]
}

# The unit tests with threads that are held up at random: four to eight minutes each time.
late_threads() {
	local seed
	ninja -C build/check late_threads
	for seed in 1 2; do
		LATE_SEED=$seed LD_PRELOAD=$PWD/build/check/tests/liblate_threads.so build/check/tests/unit_tests '~[.]'
	done
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

# A hidden unit test.
unit_test() { build/check/tests/unit_tests --warn NoTests "[.$1]"; } # TAG

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

# The core against a shadow stack: about 3 seconds.
truth_step() { build/amd64/tests/truth_step build/amd64/programs/steps_victim; }

truth_step_sframe() { build/amd64/tests/truth_step --method sframe-v1 build/amd64/programs/steps_victim_sframe; }

# The core against gdb.
truth_gdb() { tests/truth/stock_programs.py build/amd64/tests/truth_walk "$@"; } # STACKS of each program [PROGRAM]...

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

# Both word sizes as distributions build them, and stripped without tables: about 9 seconds. What this machine cannot run is said.
matrix_quick() {
	local abi
	for abi in amd64 i386; do
		matrix_programs $abi build/matrix/quick-$abi "$abi,gcc,O2*"
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
		dpkg-deb --fsys-tarfile "$(scripts/lab/debs.sh --only "$1" "$package")" | from_tar -O "$path" >"$2/${path##*/}" || return
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

# run_bench [RUNS] [RENEW]: RENEW makes the baseline anew, of three runs at least.
run_bench() {
	local out=$PWD/out/bench baseline=tests/bench/baseline.json runs=${1:-1} renew=${2:-}
	if [ -n "$renew" ] && [ "$runs" -lt 3 ]; then runs=3; fi
	build_bench >/dev/null
	mkdir -p "$OUT" "$out"
	scripts/bench/bench.py run "$out" "$runs"
	if [ -n "$renew" ]; then scripts/bench/bench.py renew "$out" "$baseline"; fi
	scripts/bench/bench.py show "$out" "$baseline"
	cp "$out/figures.log" "$OUT/bench.log"
}

# Code of stock libraries that is read without its CFI, beside that.
code_figures() { build/check/tests/unit_tests '*code that is read agrees with the CFI of stock libraries,*the exception index of stock libraries'; }

# counted WORK [CALLGRIND_OPTION]... COMMAND...: in instructions, which do not depend on what else the machine does.
counted() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "${@:2}" 2>&1 >/dev/null |
		sed -n "s/.*Collected : \([0-9]*\).*/figure: instructions \"work=$1\" instructions=\1/p"
}

installed_amd64() { scripts/lab/sysroot.sh amd64 install.list; }

instruction_figures() {
	local libc
	libc=$(installed_amd64)/usr/lib/x86_64-linux-gnu/libc.so.6
	build_bench
	ninja -C build/bench uwind bench_decoders
	counted "the walks of bench_walk" --toggle-collect=uw_walk_run build/bench/tests/bench_walk ours &&
		counted "the table of Debian 12's libc.so.6, from CFI and code" build/bench/daemon/uwind table stat "$libc" &&
		counted "decoding libc's code" build/bench/tests/bench_decoders ours <<<"$libc" &&
		counted "the same by Zydis 4.0, without operands" build/bench/tests/bench_decoders zydis <<<"$libc"
}

decoder_figures() { find "$(installed_amd64)" -xdev -type f | build/bench/tests/bench_decoders; }
