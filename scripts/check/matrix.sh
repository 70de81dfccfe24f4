# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The module on every kernel, in named parts. Sourced by check.sh.

kernels_of() { # ARCH: the module compiles for these
	echo "$STOCK_KERNELS" 6.1-rt 6.12-rt 7.2-rt
	if [ "$1" = arm64 ]; then echo 6.12-16k 7.2-16k; fi
}

booted_of() { # ARCH: these run every case
	case $1 in
	amd64) echo "$STOCK_KERNELS" 6.1-rt 6.1-debug ;;
	arm64) echo "$STOCK_KERNELS" 6.12-16k 6.1-debug ;;
	esac
}

# From nothing, with the compiler's extra warnings and sparse: neither says a word. Debian's headers of 7.2 lack the script
# that looks whether there is a sparse, and then go on without: KBUILD_CHECKSRC insists.
build_clean() { # ARCH KERNEL
	local dir=build/$1/clean-$2
	rm -rf "$dir"
	scripts/lab/build-kmod.sh "$1" "$2" "$dir" C=2 KBUILD_CHECKSRC=2 2>&1 | tee "$OUT/clean"
	[ -e "$dir/uwind.ko" ] && grep -q '^  CHECK ' "$OUT/clean" && ! grep -nE 'warning:|error:' "$OUT/clean"
}

matrix_build() { # ARCH
	local kernel
	for kernel in $(kernels_of "$1"); do step "clean-$1-$kernel" build_clean "$1" "$kernel"; done
}

# A kernel that checks each access is slow: there the demo says nothing new, and a shorter attack takes as long.
matrix_vm() { # ARCH KERNEL
	local more=()
	case $2 in
	*-debug)
		step "complaints-$1" scripts/check-complaints.sh "$1"
		more=(WITHOUT=90_demo CALLS=5000)
		;;
	esac
	vm_part "$1" "$2" "${CASE:-}" CYCLES=3 RMMOD_LIMIT_MS="${RMMOD_LIMIT_MS:-20000}" "${more[@]}"
}

# Two machines side by side, one of each architecture, until each has been through its kernels.
matrix_all() {
	local arch kernel
	for arch in amd64 arm64; do part "build-$arch" matrix_build "$arch"; done
	for arch in amd64 arm64; do
		for kernel in $(booted_of "$arch"); do part "vm-$arch-$kernel" matrix_vm "$arch" "$kernel"; done &
	done
	wait
	matrix_table
}

# row ARCH KERNEL: what is known of it with the present contents.
matrix_row() {
	local clean=- cases=- seconds=- reports=- boot=- release results
	release=$(cat "$(scripts/lab/fetch-kernel.sh "$1" "$2")/release")
	results=$(kept "build-$1")/results
	if grep -qs "^ok clean-$1-$2 " "$results"; then clean=yes; fi
	results=$(kept "vm-$1-$2")/results
	if [ -e "$results" ]; then
		cases=$(grep -c "^ok $1-$2-[1-9]" "$results") reports=0
		boot=$(sed -n "s/^ok $1-$2-00_boot //p" "$results")
		seconds=$(sed -n "s/^ok vm-$1-$2 //p" "$results")
	fi
	printf '| %s %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$release" "$clean" "$cases" "$boot" "$seconds" "$reports"
}

matrix_table() {
	local arch kernel
	echo '| target | kernel | builds clean | cases passed | seconds to boot | to boot and run | reports of the kernel |'
	echo '|---|---|---|---|---|---|---|'
	for arch in amd64 arm64; do
		for kernel in $({ kernels_of $arch && booted_of $arch; } | xargs -n1 | awk '!seen[$0]++'); do matrix_row "$arch" "$kernel"; done
	done
}

check_matrix() {
	local name=${1:-all} arch
	case $name in
	all) matrix_all ;;
	table) matrix_table && exit ;;
	build-amd64 | build-arm64) part "$name" matrix_build "${name#build-}" ;;
	vm-amd64-* | vm-arm64-*)
		arch=${name#vm-} && arch=${arch%%-*}
		part "$name" matrix_vm "$arch" "${name#vm-"$arch"-}"
		;;
	*)
		echo "check.sh: no part '$name' of the matrix: build-ARCH, vm-ARCH-KERNEL (as vm-arm64-6.12), table" >&2
		exit 64
		;;
	esac
}
