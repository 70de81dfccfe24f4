# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The verdicts of make check-vm, kept for each case by what it was made of: only what a change touches runs again. Sourced by
# check.sh.
#
# A kept verdict is a file of verdicts.py's lines: the case's own, before it those of its results that were skipped.

# What runs in a guest, without what only debuggers read, which changes with a comment.
code_of() { # FILE
	local tool code
	code=$(mktemp)
	cp "$1" "$code"
	for tool in objcopy aarch64-linux-gnu-objcopy arm-linux-gnueabihf-objcopy; do
		if "$tool" --strip-debug --remove-section=.note.gnu.build-id "$1" "$code" 2>/dev/null; then break; fi
	done
	cat "$code"
	rm "$code"
}

contents_below() { find "$@" -type f ! -name '*.md' ! -path '*/__pycache__/*' | LC_ALL=C sort | xargs cat; } # PATH... [CONDITION...]

# What every case of a machine is made of: kernel and roots, programs and modules, what boots it, and all of qemu/cases that is no case.
# The same in every clone: a BPF program names the folder that it was made in, so that its source stands for it.
contents_of_machine() { # MACHINE
	local arch kernel file
	arch=$(arch_of "$1") kernel=$(kernel_of "$1")
	declare -f boot run_vm machine_of guest_options
	settings_of "$1"
	FOR_GUEST="$(guest_options "$1" | xargs) --fetch" run_vm "$arch" "$kernel" true || return
	contents_below qemu/{run.sh,init,complaints.awk} scripts/lab/guest-{files,modules}.sh scripts/check/verdicts.py \
		scripts/demo-{assert.py,guest.sh,work} tests/bpf || return
	contents_below qemu/cases ! -name '[0-9]*' || return
	for file in "build/$arch"/{daemon/uwind,daemon/uwindd,programs/*,tests/truth_kernel,tests/bpf_cookies} \
		"build/$arch"/{,test-}kmod-"$kernel"/*.ko; do
		if [ -f "$file" ]; then echo "$file" && code_of "$file"; fi
	done
}

# What is a case's own. 38_* run a module with delays, which names the folder that it was made in.
contents_of_case() { # CASE
	cat "qemu/cases/$1".* 2>/dev/null || true
	case $1 in 38_*) contents_below kmod -name '*.[ch]' ;; esac
}

# kept_verdict MACHINE HASH CASE: where it is.
kept_verdict() { echo "$(cache_dir)/results/cases/$1-$3-$({ echo "$2" && contents_of_case "$3"; } | hash_of)"; }

# take_kept MACHINE HASH CASE...: as a boot of its own, 0, whose log says since when they have passed.
take_kept() {
	local folder=$OUT/$1/0 case file
	mkdir -p "$folder"
	: >"$folder/console"
	for case in "${@:3}"; do
		file=$(kept_verdict "$1" "$2" "$case")
		[ -e "$file" ] || continue
		cat "$file" >>"$folder/verdicts"
		printf '# %s is expected to pass: it has, with the same contents, on %s; AGAIN=1 runs it again\nok\n' "$case" "$(date -r "$file" +%F)" \
			>>"$folder/log"
		echo "${1#full-}-$case" >>"$OUT/kept"
	done
}

# keep_passed MACHINE HASH: what has passed at once, or cannot run there.
keep_passed() {
	local case file folder
	mkdir -p "$(cache_dir)/results/cases"
	last_verdicts "$1" | sed -nE 's/^(ok|skip) ([^ :]*) .*/\2/p' | while read -r case; do
		folder=$(boot_of "$1" "$case")
		file=$(kept_verdict "$1" "$2" "$case")
		if [ "${folder##*/}" = 0 ] || grep -qs "^$1-$case " "$OUT/unsteady"; then continue; fi
		grep -E "^[a-zA-Z]+ ${case}[ :]" "$folder/verdicts" >"$file.new"
		mv "$file.new" "$file"
	done
	prune "$(cache_dir)/results/cases" 60
}
