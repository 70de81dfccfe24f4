# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Parts: steps whose verdict is kept by what they were made of. Sourced by check.sh.

# A part is made of the files of the tree that it runs or compiles, as they are now, and of the kernels that it meets.
made_of() { # PART
	local paths=(kmod include scripts/lab)
	case $1 in
	build-*) paths+=(scripts/check/matrix.sh) ;;
	vm-*)
		paths+=(qemu daemon tests/programs tests/attack tests/truth tests/kmod tests/faulty tests/profiles tests/CMakeLists.txt CMakeLists.txt)
		paths+=(scripts/check/vm.sh scripts/check/matrix.sh scripts/check-complaints.sh scripts/demo-work scripts/demo-guest.sh ':!daemon/man')
		;;
	*) paths+=(qemu daemon tests debian scripts CMakeLists.txt Makefile VERSION) ;;
	esac
	case $1 in vm-*-debug-*) mapfile -t -O ${#paths[@]} paths < <(cases_beside "${1##*-}") ;; esac
	git ls-files -co --exclude-standard -- "${paths[@]}" ':!*.md' | sort -u
}

# As pathspecs, the cases that a group of the debug kernels does not run: a change of theirs leaves its verdict alone.
cases_beside() { # GROUP
	local file name group
	group=" $(debug_cases "$1") "
	for file in qemu/cases/[0-9]*.*; do
		name=${file##*/}
		case $group in *" ${name%.*} "*) ;; *) echo ":!$file" ;; esac
	done
}

# "ARCH KERNEL" of each kernel that a part meets.
kernels_met_by() { # PART
	local arch kernel
	case $1 in
	build-*) for kernel in $(kernels_of "${1#build-}"); do echo "${1#build-} $kernel"; done ;;
	vm-*-debug-*) arch=${1#vm-} && echo "${arch%%-*} 6.1-debug" ;;
	vm-*) arch=${1#vm-} && arch=${arch%%-*} && echo "$arch ${1#vm-"$arch"-}" ;;
	hostile-*) kernel=${1#hostile-} && echo "amd64 ${kernel%-*}" ;;
	reader-* | spaces-*) echo "amd64 ${1#*-}" ;;
	unload-*) arch=${1#unload-} && echo "${arch%%-*} ${arch#*-}" ;;
	*) printf '%s 6.1\n' amd64 arm64 ;;
	esac
}

contents_of() { # PART
	local file arch kernel
	{
		made_of "$1" | while read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done | tr '\n' '\0' | xargs -0 sha256sum
		kernels_met_by "$1" | while read -r arch kernel; do cat "$(scripts/lab/fetch-kernel.sh "$arch" "$kernel")/version"; done
	} | hash_of
}

kept() { echo "$(cache_dir)/results/$1-$(contents_of "$1")"; } # PART

# A choice of cases, or less of what is long, is no part.
is_whole() { [ -z "${CASE:-}${ATTACK:-}${CROWD:-}${CYCLES:-}${HOSTILE:-}${SECONDS_EACH:-}" ]; }

# part NAME COMMAND...: steps in a folder of their own. What has passed with the same contents is told again and not run
# again, unless AGAIN=1 says so.
part() {
	local name=$1 top=$OUT before
	shift
	before=$(kept "$name")
	local OUT=$top/$name
	rm -rf "$OUT"
	begin
	if [ -e "$before/results" ] && [ -z "${AGAIN:-}" ] && is_whole; then
		printf '%s passed with the same contents on %s; AGAIN=1 runs it again\n' "$name" "$(date -r "$before/results" +%F)"
		cp "$before/results" "$OUT/results"
		cat "$before/said"
	else
		"$@" | tee "$OUT/said"
		if all_passed && is_whole; then keep "$before"; fi
	fi
	cat "$OUT/results" >>"$top/results"
}

keep() { # FOLDER
	mkdir -p "${1%/*}"
	rm -rf "$1.new" "$1"
	mkdir "$1.new"
	cp "$OUT/results" "$OUT/said" "$1.new"
	mv "$1.new" "$1"
	prune "${1%/*}" 60
}
