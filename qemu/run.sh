#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs one command in a virtual machine with a stock Debian kernel, uwind loaded, and hands back what it printed and left.
set -euo pipefail
# shellcheck source=../scripts/lab/common.sh
. "$(dirname "$(readlink -f "$0")")/../scripts/lab/common.sh"

EX_TIMEOUT=124
EX_LOST=125

# An emulated processor may hang while a kernel starts and patches itself (cases/README.md): a machine that says nothing for so
# many seconds and has not begun the command is started again, once. That one has no less than the usual time.
USUAL_SILENCE=180
SILENCE=${UWIND_SILENCE:-$USUAL_SILENCE}

# What the kernel says only when something is wrong with it, and which case ran then.
complaints() { LC_ALL=C awk -f "$REPO_DIR/qemu/complaints.awk" "$CONSOLE" | awk -F '\t' '{ print $1 ": " $3 }'; }

usage() {
	cat <<-'TEXT'
		usage: qemu/run.sh [OPTION]... -- COMMAND ARG...
		  --arch amd64|arm64       the guest's architecture (default: the host's)
		  --kernel LINE[-FLAVOUR]  Debian's kernel: 6.1 (default), 6.12, 7.2; -rt, or -16k (arm64); 6.1-debug
		  --cpu MODEL              QEMU's CPU model
		  --emulator SUITE         QEMU of that Debian suite, which may know more CPUs
		  --cpus N                 default 2
		  --memory MIB             default 2048, more if the guest's files need it
		  --icount[=SHIFT]         guest time counts guest instructions, of 2^SHIFT ns each (default: 0); with one processor
		                           it knows no other: a guest with nothing to do goes on to its next timer
		  --count ADDRESS+BYTES    how often each instruction in that memory is executed: DIR/counts; only with --out
		  --unpacked               amd64's kernel as the host unpacks it: it starts sooner, and without KASLR
		  --append KERNELARGS      for the kernel's command line
		  --disk MIB               an empty disk besides, for the guest to make a file system on: virtio
		  --root systemd[:SUITE]   a disk with Debian as apt installs it (default: the host's suite); amd64 only
		  --monitor CMD            send CMD to QEMU's monitor, once a second while the command runs; answers in DIR/monitor
		  --no-module              without the module; uwind and uwindd are there only if already built, on a disk not at all
		  --add HOST[:GUEST]       a file or folder for the guest, default into /root (repeatable)
		  --pkg PACKAGE[:ARCH]     a Debian package for the guest, with its dependencies (repeatable)
		  --fetch                  get what the machine is made of besides uwind, print what tells its version, and run nothing
		  --timeout S              seconds from switching on, default 600
		  --watch S                the machine is lost if it gives no sign of life for so many seconds while the command runs
		  --out DIR                receives console and what the command leaves in /out
		exit: the command's status, 124 timed out, 125 VM lost or kernel complained, 78 configuration,
		  75 a download did not come, 64 usage
		environment: UWIND_CACHE, UWIND_NO_BUILD=1 (use what is built), UWIND_MONITOR_PERIOD (seconds),
		  UWIND_SILENCE (180: seconds without a word after which a machine that has not begun is started again)
	TEXT
}

bad_usage() {
	printf 'run.sh: %s: try --help\n' "$*" >&2
	exit 64
}

number() { [[ $2 =~ ^[1-9][0-9]*$ ]] || bad_usage "$1 wants a number, not '$2'"; }

defaults() {
	ARCH=$(host_arch) KERNEL=6.1 CPU='' CPUS=2 MEMORY='' ICOUNT='' APPEND='' MODULE=1 TIMEOUT=600 OUT=''
	DISK='' SUITE='' EMULATOR='' COUNT='' WATCH='' FETCH='' UNPACKED=''
	MONITOR=() ADD=() PKG=()
}

# The default is a root in memory, without a service manager.
set_root() {
	case $1 in
	systemd) SUITE=$(own_suite) ;;
	systemd:?*) SUITE=${1#*:} ;;
	*) bad_usage "--root $1: systemd, or systemd:SUITE" ;;
	esac
}

set_option() {
	case $1 in
	--arch) ARCH=$2 ;;
	--kernel) KERNEL=$2 ;;
	--cpu) CPU=$2 ;;
	--emulator) EMULATOR=$2 ;;
	--cpus) number "$1" "$2" && CPUS=$2 ;;
	--memory) number "$1" "$2" && MEMORY=$2 ;;
	--icount) number "$1" "$2" && ICOUNT=$2 ;;
	--count) COUNT=$2 ;;
	--append) APPEND+=" $2" ;;
	--disk) number "$1" "$2" && DISK=$2 ;;
	--root) set_root "$2" ;;
	--monitor) MONITOR+=("$2") ;;
	--add) ADD+=("$2") ;;
	--pkg) PKG+=("$2") ;;
	--timeout) number "$1" "$2" && TIMEOUT=$2 ;;
	--watch) number "$1" "$2" && WATCH=$2 ;;
	--out) OUT=$2 ;;
	*) bad_usage "unknown option $1" ;;
	esac
}

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--) shift && break ;;
		--help | -h) usage && exit 0 ;;
		--icount) ICOUNT=0 && shift ;;
		--no-module) MODULE=0 && shift ;;
		--fetch) FETCH=1 && shift ;;
		--unpacked) UNPACKED=1 && shift ;;
		--*=*) set_option "${1%%=*}" "${1#*=}" && shift ;;
		*)
			[ $# -ge 2 ] || bad_usage "$1 wants a value"
			set_option "$1" "$2" && shift 2
			;;
		esac
	done
	COMMAND=("$@")
	[ $# -gt 0 ] || [ -n "$FETCH" ] || bad_usage "no command after --"
	[ -z "$COUNT" ] || [ -n "$OUT" ] || bad_usage "--count leaves its numbers in --out DIR, which is missing"
}

# Another release's program runs with its own libraries.
set_qemu() {
	local root=/
	QEMU=("qemu-system-$(case $ARCH in amd64) echo x86_64 ;; arm64) echo aarch64 ;; esac)")
	[ -z "$EMULATOR" ] || root=$("$LAB_DIR/toolchain.sh" "$EMULATOR" "emulator-$ARCH.list")
	[ "$root" = / ] || QEMU=("$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu"
		"$root/usr/bin/${QEMU[0]}" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios")
}

check_host() {
	check_arch "$ARCH"
	[ -z "$SUITE" ] || [ "$ARCH" = amd64 ] || die "--root systemd is for amd64 only: leave it out for $ARCH"
	set_qemu
	need "${QEMU[0]}" cpio flock timeout
	KERNEL_DIR=$("$LAB_DIR/fetch-kernel.sh" "$ARCH" "$KERNEL")
}

prepare_places() {
	mkdir -p "$(cache_dir)/run" 2>/dev/null || die "cannot write to $(cache_dir): set UWIND_CACHE to a writable folder"
	prune "$(cache_dir)/run" 2
	WORK=$(mktemp -d "$(cache_dir)/run/XXXXXXXX")
	CONSOLE=$WORK/console
	if [ -n "$OUT" ]; then
		mkdir -p "$OUT" 2>/dev/null || die "--out $OUT cannot be created: name a writable folder"
		CONSOLE=$(cd "$OUT" && pwd)/console
	fi
	: >"$CONSOLE"
}

# Builds print on stderr: stdout belongs to the command.
build_parts() {
	[ -z "${UWIND_NO_BUILD:-}" ] || return 0
	[ -e "$REPO_DIR/Makefile" ] || die "no Makefile in $REPO_DIR: use --no-module to run without uwind"
	lock "build-$ARCH"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$REPO_DIR" build ARCH="$ARCH" KERNEL="$KERNEL" >"$WORK/build.log" 2>&1 ||
		build_failed "uwind and uwindd"
	"$LAB_DIR/build-kmod.sh" "$ARCH" "$KERNEL" "$KMOD" >"$WORK/build.log" 2>&1 || build_failed "uwind.ko"
	unlock
}

build_failed() {
	tail -n 30 "$WORK/build.log" >&2
	die "building $1 for $ARCH failed: the end of its log is above"
}

# The project's own parts: MODULES for the kernel, programs among the files to add.
own_parts() {
	local f
	MODULES=()
	KMOD=$REPO_DIR/build/$ARCH/kmod-$KERNEL
	if [ "$MODULE" = 1 ]; then
		build_parts
		[ -e "$KMOD/uwind.ko" ] || die "$KMOD/uwind.ko is missing: run without UWIND_NO_BUILD, or with --no-module"
		MODULES=("$KMOD"/uwind_resident*.ko "$KMOD/uwind.ko")
	fi
	# On a disk they come with the packages.
	[ "$MODULE" = 1 ] || [ -z "$SUITE" ] || return 0
	for f in uwind uwindd; do
		f=$REPO_DIR/build/$ARCH/daemon/$f
		if [ -e "$f" ]; then
			ADD+=("$f:/usr/bin/")
		elif [ "$MODULE" = 1 ]; then
			die "$f is missing: run without UWIND_NO_BUILD, or with --no-module"
		fi
	done
}

# After the one with the guest's root, if that is on a disk.
add_disk() {
	[ -n "$DISK" ] || return 0
	truncate -s "${DISK}M" "$WORK/disk"
	ARGS+=(-drive "if=virtio,format=raw,file=$WORK/disk")
}

# What is in the cache has names by contents.
fetch_parts() {
	local segments root
	assemble_root
	printf '%s\n' "$KERNEL_DIR" "$(cat "$KERNEL_DIR/version")" "$segments" "$root"
	"${QEMU[@]}" --version | head -n 1
}

# Sets segments, and root: beside what the guest's root is made of lies a folder root/.
assemble_root() {
	if [ -n "$SUITE" ]; then
		segments=$("$LAB_DIR/guest-root.sh" "$ARCH")
		root=$("$LAB_DIR/guest-disk.sh" "$SUITE" "${PKG[@]}")
		ARGS+=(-drive "if=virtio,format=raw,snapshot=on,file=$root/disk.img")
	else
		segments=$("$LAB_DIR/guest-root.sh" "$ARCH" "${PKG[@]}")
		root=$(dirname "$(tail -1 <<<"$segments")")
	fi
}

assemble() {
	local segments modules root
	assemble_root
	add_disk
	modules=$("$LAB_DIR/guest-modules.sh" "$ARCH" "$KERNEL_DIR" "${MODULES[@]}")
	"$LAB_DIR/guest-files.sh" ${SUITE:+--disk} "$root/root" "$WORK/files.cpio" "${ADD[@]}" -- "${COMMAND[@]}"
	# shellcheck disable=SC2086  # paths without blanks, one a line
	cat $segments "$modules" "$WORK/files.cpio" >"$WORK/initrd"
}

# The guest holds its files twice while it unpacks them, and half of its memory at most can be files.
choose_memory() {
	local need_mib
	need_mib=$(($(stat -c %s "$WORK/initrd") * 5 / 2 / 1048576 + 384))
	if [ -z "$MEMORY" ]; then
		MEMORY=$((need_mib > 2048 ? need_mib : 2048))
	elif [ "$MEMORY" -lt "$need_mib" ]; then
		die "--memory $MEMORY is too little for this guest's files: give at least $need_mib"
	fi
	[ "$(memory_mib)" -ge "$((MEMORY + 128))" ] ||
		die "the host has $(memory_mib) MiB of free memory, the guest wants $MEMORY: free some, or give --memory"
}

# With fast string instructions Linux copies by the byte, and QEMU does each byte as an instruction of its own.
AMD64_CPU=max,-erms,-fsrm

# A Cortex-A72 has no pages of 16 KB.
arm64_cpu() { case $KERNEL in *-16k) echo max,pauth-impdef=on ;; *) echo cortex-a72 ;; esac }

# arm64's is not packed.
kernel_image() {
	if [ -n "$UNPACKED" ] && [ "$ARCH" = amd64 ]; then "$LAB_DIR/unpacked-kernel.sh" "$KERNEL_DIR"; else echo "$KERNEL_DIR/vmlinuz"; fi
}

machine_args() {
	local image
	image=$(kernel_image)
	case $ARCH in
	# On a busy host the timer may not tick while the kernel looks whether it does.
	amd64) ARGS+=(-machine q35 -cpu "${CPU:-$AMD64_CPU}") && TTY=ttyS0 && APPEND+=" no_timer_check" ;;
	arm64) ARGS+=(-machine "virt,gic-version=3" -cpu "${CPU:-$(arm64_cpu)}") && TTY=ttyAMA0 ;;
	esac
	if [ -n "$ICOUNT" ]; then
		# Two processors, which take turns, would need two and a half times as long with that.
		[ "$CPUS" != 1 ] || ICOUNT+=,sleep=off
		ARGS+=(-accel "tcg,thread=single$EACH" -icount "shift=$ICOUNT" -rtc clock=vm)
	else
		ARGS+=(-accel "tcg,thread=multi$EACH")
	fi
	ARGS+=(-smp "$CPUS" -m "$MEMORY" -nodefaults -nographic -no-reboot -serial "file:$CONSOLE")
	ARGS+=(-kernel "$image" -initrd "$WORK/initrd")
	# An emulated processor may go on with code that another one has patched (cases/README.md), and a kernel that starts
	# patches itself all the time: it does so with one processor, and init wakes the others.
	ARGS+=(-append "console=$TTY loglevel=7 printk.time=1 panic=-1 maxcpus=1$APPEND")
}

channel_args() {
	local name
	mkfifo "$WORK/stdout" "$WORK/stderr"
	ARGS+=(-device virtio-serial-pci)
	for name in stdout stderr status out; do
		ARGS+=(-chardev "file,id=$name,path=$WORK/$name" -device "virtserialport,chardev=$name,name=$name")
	done
	[ ${#MONITOR[@]} -gt 0 ] || return 0
	mkfifo "$WORK/monitor.in" "$WORK/monitor.out"
	ARGS+=(-chardev "pipe,id=monitor,path=$WORK/monitor" -mon "chardev=monitor,mode=readline")
}

# Each instruction is translated alone, so that each is told. The release's QEMU has another word for that than later ones.
count_args() {
	EACH=''
	[ -n "$COUNT" ] || return 0
	mkfifo "$WORK/executed"
	if [ -n "$EMULATOR" ]; then EACH=,one-insn-per-tb=on; else ARGS+=(-singlestep); fi
	ARGS+=(-d "exec,nochain" -dfilter "$COUNT" -D "$WORK/executed")
}

# A line is "Trace CPU: BLOCK [BASE/ADDRESS/FLAGS/FLAGS] SYMBOL".
start_counting() {
	[ -n "$COUNT" ] || return 0
	LC_ALL=C awk -F/ 'NF > 2 { times[$2]++ } END { for (address in times) print address, times[address] }' "$WORK/executed" >"${CONSOLE%/*}/counts" &
	RELAYS+=($!)
}

begun() { grep -q '^started' "$WORK/status" 2>/dev/null; }
ended() { grep -q '^exit' "$WORK/status" 2>/dev/null; }

drive_monitor() {
	local command
	until begun; do sleep 0.1; done
	until ended; do
		for command in "${MONITOR[@]}"; do printf '%s\n' "$command" >"$WORK/monitor.in"; done
		sleep "${UWIND_MONITOR_PERIOD:-1}"
	done
}

start_monitor() {
	[ ${#MONITOR[@]} -gt 0 ] || return 0
	cat "$WORK/monitor.out" >"${CONSOLE%/*}/monitor" &
	HELPERS+=($!)
	drive_monitor &
	HELPERS+=($!)
}

# A reader that QEMU never connected to would wait for ever: opening for both ends that.
end_relays() {
	local f
	for f in stdout stderr ${COUNT:+executed}; do exec {fd}<>"$WORK/$f" && exec {fd}>&-; done
	wait "${RELAYS[@]}" || true
}

# grows_until CONDITION SECONDS FILE: 1 when FILE did not grow for so many seconds, 0 when the condition holds before.
grows_until() {
	local size last=-1 since=$SECONDS
	until "$1"; do
		sleep 1
		size=$(stat -c %s "$3")
		[ "$size" = "$last" ] || since=$SECONDS
		last=$size
		[ $((SECONDS - since)) -lt "$2" ] || return 1
	done
}

# A machine that hangs as it starts is ended, the second time for good. While the command runs, the guest's process 1 writes to the
# status channel now and then.
watch_machine() { # PROCESS of the machine
	if ! grows_until begun "$SILENCE" "$CONSOLE"; then
		: >"$WORK/$([ -e "$WORK/hung" ] && echo silent || echo hung)"
		kill "$1"
	elif [ -n "$WATCH" ] && ! grows_until ended "$WATCH" "$WORK/status"; then
		: >"$WORK/silent"
		kill "$1"
	fi
}

run_machine() {
	HELPERS=() RELAYS=()
	cat "$WORK/stdout" &
	RELAYS+=($!)
	cat "$WORK/stderr" >&2 &
	RELAYS+=($!)
	start_counting
	timeout -k 5 "$TIMEOUT" "${QEMU[@]}" "${ARGS[@]}" </dev/null >"$WORK/qemu.log" 2>&1 &
	MACHINE=$!
	watch_machine "$MACHINE" &
	HELPERS+=($!)
	start_monitor
	QEMU_STATUS=0 BEGAN=$SECONDS
	wait "$MACHINE" || QEMU_STATUS=$?
	MACHINE=
	end_relays
}

cleanup() {
	[ -z "${MACHINE:-}" ] || kill "$MACHINE" 2>/dev/null || true
	[ ${#HELPERS[@]} = 0 ] || kill "${HELPERS[@]}" 2>/dev/null || true
	[ -z "${WORK:-}" ] || rm -rf "$WORK"
}

# A machine that hung as it started is forgotten.
run_machine_twice() {
	run_machine
	[ -e "$WORK/hung" ] || return 0
	note "the machine said nothing for $SILENCE s and has not begun: it is started again; its last words were: $(tail -n 1 "$CONSOLE")"
	kill "${HELPERS[@]}" 2>/dev/null || true
	SILENCE=$((SILENCE > USUAL_SILENCE ? SILENCE : USUAL_SILENCE))
	run_machine
}

collect() {
	[ -n "$OUT" ] && [ -s "$WORK/out" ] || return 0
	tar -x --no-same-owner -C "$OUT" -f "$WORK/out" || note "what the guest left in /out came back incomplete"
}

# verdict: the command's status, unless the kernel or the machine has something to say.
verdict() {
	local status said
	status=$(sed -n 's/^exit \([0-9]*\)$/\1/p' "$WORK/status" 2>/dev/null || true)
	said=$(complaints)
	if [ -n "$said" ]; then
		printf '%s\n' "$said" >&2
		note "the kernel complained (the lines above)${OUT:+, see $CONSOLE}"
		return "$EX_LOST"
	elif [ -e "$WORK/silent" ]; then
		tail -n 5 "$CONSOLE" >&2
		note "the machine gave no sign of life any more and was ended${OUT:+, see $CONSOLE}"
		return "$EX_LOST"
	elif [ "$QEMU_STATUS" = 124 ] || { [ "$QEMU_STATUS" = 137 ] && [ $((SECONDS - BEGAN)) -ge "$TIMEOUT" ]; }; then
		note "timed out after $TIMEOUT s${OUT:+, see $CONSOLE}"
		return "$EX_TIMEOUT"
	elif [ ! -s "$CONSOLE" ]; then
		die "${QEMU[*]} did not start the machine: $(head -1 "$WORK/qemu.log")"
	elif [ -z "$status" ]; then
		tail -n 5 "$CONSOLE" >&2
		note "the virtual machine was lost before the command ended (QEMU's status $QEMU_STATUS)"
		return "$EX_LOST"
	fi
	return "$status"
}

main() {
	HELPERS=() ARGS=()
	defaults
	parse "$@"
	check_host
	if [ -n "$FETCH" ]; then
		fetch_parts
		return
	fi
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	prepare_places
	own_parts
	assemble
	choose_memory
	count_args
	machine_args
	channel_args
	run_machine_twice
	collect
	verdict
}

main "$@"
