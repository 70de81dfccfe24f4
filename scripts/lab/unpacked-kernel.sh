#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unpacks an amd64 kernel and prints the ELF file, which lies beside its image from then on: QEMU starts it at once, while an image
# unpacks itself first, which takes an emulated processor long. Without that there is no KASLR.
#
# Usage: unpacked-kernel.sh KERNELDIR        what fetch-kernel.sh prints
# Where in the image it is says the header that Linux's documentation calls "The Linux/x86 Boot Protocol".
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

number_at() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; } # FILE OFFSET BYTES

unpack() { # IMAGE
	local code start length begins command
	code=$((($(number_at "$1" 0x1f1 1) + 1) * 512)) # behind what boots in real mode: setup_sects
	start=$((code + $(number_at "$1" 0x248 4)))     # payload_offset
	length=$(($(number_at "$1" 0x24c 4) - 4))       # payload_length, without a number for who unpacks: the size
	begins=$(od -An -t x1 -j "$start" -N 4 "$1" | tr -d ' ')
	case $begins in
	fd377a58) command=xz ;;
	28b52ffd) command=zstd ;;
	*) die "$1 is packed by neither xz nor zstd: it begins with $begins" ;;
	esac
	head -c "$((start + length))" "$1" | tail -c "$length" | "$command" -dc
}

main() {
	[ $# = 1 ] || die "usage: unpacked-kernel.sh KERNELDIR"
	need xz zstd
	lock "unpacked-$(printf '%s' "$1" | hash_of)"
	if [ ! -e "$1/vmlinux" ]; then
		unpack "$1/vmlinuz" >"$1/vmlinux.new"
		mv "$1/vmlinux.new" "$1/vmlinux"
	fi
	printf '%s\n' "$1/vmlinux"
}

main "$@"
