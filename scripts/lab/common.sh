# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What every lab script needs: the cache's place, one-line errors, locks and architecture names. Sourced, never run.

LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # used by the scripts that source this
REPO_DIR=$(cd "$LAB_DIR/../.." && pwd)

EX_CONFIG=78
EX_LOST=75 # a download did not come: the same command may pass later

# die TEXT...: one line that names the thing and what to do, exit 78 (configuration).
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit "$EX_CONFIG"
}

note() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# The cache directory; bash's ~ also works where HOME is not set.
cache_dir() {
	local home=~
	printf '%s\n' "${UWIND_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/uwind}"
}

# need COMMAND...: every command exists, else name it.
need() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || die "command '$c' is missing: run 'make setup' first"
	done
}

# --- fetching ----------------------------------------------------------------------------------

# Seconds between the tries: a network that is gone for a minute is not noticed.
FETCH_PAUSES=${UWIND_FETCH_PAUSES-2 5 15 30}

# Seconds between the tries while a mirror is being renewed, which takes minutes. At first apt's index may just be old.
RENEWAL_PAUSES=${UWIND_RENEWAL_PAUSES-0 30 90 180}

# Who has waited for a mirror in vain has done so for the others, too: so many minutes.
RENEWAL_KNOWN=30

# Seconds in which a fetching command must do something: apt's own timeouts are for single answers.
FETCH_SILENCE=${UWIND_FETCH_SILENCE-90}

# What apt is told wherever it fetches, beside what it is configured with. It tries again at once: apt 2.6 forgets delayed tries of
# index files, and waits for them for ever. UWIND_PROXY goes before apt's own proxy.
APT_SETTINGS=(Acquire::Retries=3 Acquire::Retries::Delay=false Acquire::http::Timeout=30 Acquire::https::Timeout=30 APT::Update::Error-Mode=any)
if [ -n "${UWIND_PROXY:-}" ]; then APT_SETTINGS+=("Acquire::http::Proxy=$UWIND_PROXY" "Acquire::https::Proxy=$UWIND_PROXY"); fi

apt_get() { apt-get "${APT_SETTINGS[@]/#/-o}" "$@"; }

# bootstrap ARGUMENT...: mmdebstrap, which by itself reads nothing of how the machine's apt is configured. The proxy is no option of
# mmdebstrap's, since it would stay in what is made. What apt answers is printed only with --verbose. When it fails it hangs up
# (SIGHUP) on its whole process group: it has one of its own, and is told when the caller's is to end.
bootstrap() (
	options=() proxy=${UWIND_PROXY:-}
	for setting in "${APT_SETTINGS[@]}"; do
		case $setting in *::Proxy=*) ;; *) options+=("--aptopt=${setting%%=*} \"${setting#*=}\"") ;; esac
	done
	[ -n "$proxy" ] || eval "$(apt-config shell proxy Acquire::http::Proxy)"
	if [ "$proxy" = DIRECT ]; then proxy=; fi
	setsid env ${proxy:+"http_proxy=$proxy" "https_proxy=$proxy"} mmdebstrap --verbose --aptopt='Acquire::Languages "none"' "${options[@]}" "$@" &
	trap 'kill "$!"' HUP INT TERM
	wait "$!"
)

# from_tar ARGUMENT...: tar, which unpacks what comes in. It reads no further than the archive's end, but who writes it fills a block
# after that, and must find a reader.
from_tar() {
	local status=0
	tar -x "$@" || status=$?
	cat >/dev/null
	return $status
}

# first_error LOG: what apt or mmdebstrap says is wrong.
first_error() { grep -am1 '^E:' "$1" || echo "see its log"; }

# What apt and mmdebstrap say of a mirror that is being renewed, or of an index that is older than the mirror.
RENEWAL='Failed to fetch.* 4(04|10) |File has unexpected size|Hash Sum mismatch|Mirror sync in progress|unmet dependencies|held broken packages'

renewal_lines() { grep -aE "$RENEWAL" "$1"; } # LOG

# lost_lines LOG: about downloads that did not come. An answer is another thing; to have said nothing is none.
lost_lines() {
	if [ -s "$1" ]; then grep -a 'Failed to fetch' "$1" | grep -avE " 40[0-7] |$RENEWAL"; else echo "nothing was said"; fi
}

# processes_below PID BUT: all of them, without BUT and those below it.
processes_below() {
	ps -eo pid=,ppid= | awk -v root="$1" -v but="$2" '
		{ parent[$1] = $2 }
		END {
			for (p in parent) {
				for (q = p; q in parent && q != root && q != but; q = parent[q]);
				if (q == root && p != root) print p
			}
		}'
}

# done_by PID...: what they have read, written and computed, coarsely: a progress message now and then is nothing.
done_by() {
	local p stat bytes=0 ticks=0
	for p in "$@"; do
		{ read -r stat <"/proc/$p/stat"; } 2>/dev/null || continue
		read -ra stat <<<"${stat##*) }"
		ticks=$((ticks + stat[11] + stat[12]))
		bytes=$((bytes + $(awk '/^[rw]char/ { sum += $2 } END { print sum + 0 }' "/proc/$p/io" 2>/dev/null || echo $((SECONDS * 65536)))))
	done
	echo "$* $((bytes / 65536)) $((ticks / 200))"
}

# watch PID LOG: ends what PID has started once that has done nothing for FETCH_SILENCE seconds, and says so in the log. It starts
# nothing that could outlive it, and holds no lock.
watch() {
	local since=$SECONDS before='' now below nap self=$BASHPID
	if [ -n "${LOCK_FD:-}" ]; then exec {LOCK_FD}>&-; fi
	exec {nap}<> <(:)
	while kill -0 "$1"; do
		read -rt 2 -u "$nap" || true
		mapfile -t below < <(processes_below "$1" "$self")
		now=$(done_by "${below[@]}")
		if [ "$now" != "$before" ]; then before=$now since=$SECONDS; fi
		[ $((SECONDS - since)) -ge "$FETCH_SILENCE" ] || continue
		echo "Failed to fetch: nothing was done for $FETCH_SILENCE s" >>"$2"
		kill "${below[@]}"
		read -rt 10 -u "$nap" || true
		mapfile -t below < <(processes_below "$1" "$self")
		kill -KILL "${below[@]}"
		since=$SECONDS
	done
}

# watched LOG COMMAND...: in the foreground, so that who interrupts this shell interrupts it, too.
watched() {
	local log=$1 watcher status=0 self=$BASHPID
	shift
	: >"$log"
	watch "$self" "$log" </dev/null >/dev/null 2>&1 &
	watcher=$!
	"$@" >>"$log" 2>&1 || status=$?
	kill "$watcher"
	wait "$watcher" 2>/dev/null || true
	return "$status"
}

# fetch WHAT LOG COMMAND...: runs what downloads, with its output in LOG, and again after longer and longer pauses as long as
# a download does not come. What failed tries said is kept in LOG.1, LOG.2 … 0: done; EX_LOST: it never came; 1: refused.
fetch() {
	local what=$1 log=$2 try=0 pause
	shift 2
	rm -f "$log".[0-9]*
	for pause in $FETCH_PAUSES last; do
		if watched "$log" "$@"; then return 0; fi
		if ! lost_lines "$log" >/dev/null; then return 1; fi
		try=$((try + 1))
		cp "$log" "$log.$try"
		[ "$pause" = last ] || note "$what: try $try failed, the next is in $pause s: $(lost_lines "$log" | sed -n 1p) ($log.$try)"
		[ "$pause" = last ] || sleep "$pause"
	done
	return "$EX_LOST"
}

# waited_for LOG: the file that is there once the archive that LOG complains of has been waited for in vain.
waited_for() { echo "$(cache_dir)/renewals/$(renewal_lines "$1" | sed -nE 's,.*(https?://.*)/(dists|pool)/.*,\1,p' | sed -n 1p | hash_of)"; }

# note_wait LOG: the archive has been waited for.
note_wait() {
	local file
	file=$(waited_for "$1")
	mkdir -p "${file%/*}"
	: >"$file"
}

# is_known_broken LOG
is_known_broken() { [ -n "$(find "$(waited_for "$1")" -mmin "-$RENEWAL_KNOWN" 2>/dev/null)" ]; }

# patiently WHAT LOG COMMAND...: runs what fetches with its output in LOG and returns as fetch does, and again as long as the answer is
# that of a mirror that is being renewed. EX_LOST: it did not get in order.
patiently() {
	local pause status
	for pause in $RENEWAL_PAUSES last; do
		status=0
		"${@:3}" || status=$?
		[ $status = 1 ] && renewal_lines "$2" >/dev/null || return $status
		if [ "$pause" = last ]; then note_wait "$2"; fi
		if [ "$pause" != 0 ] && is_known_broken "$2"; then return "$EX_LOST"; fi
		note "$1: mirror and index differ, the next try is in $pause s: $(renewal_lines "$2" | sed -n 1p) ($2)"
		sleep "$pause"
	done
}

# fetch_patiently WHAT LOG COMMAND...: for what reads the mirror's index each time.
fetch_patiently() { patiently "$1" "$2" fetch "$@"; }

# die_fetching STATUS WHAT LOG: what became of fetching. A test's step learns through the file UWIND_LOST, whoever was in between, that
# a download did not come; a mirror that is being renewed has been waited for.
die_fetching() {
	local text tries
	if [ "$1" != "$EX_LOST" ]; then die "$2 cannot be had: $(first_error "$3") ($3)"; fi
	if text=$(lost_lines "$3"); then
		tries=$(find "${3%/*}" -maxdepth 1 -name "${3##*/}.[0-9]*" | wc -l)
		text="$2 did not come in $tries tries: $(sed -n 1p <<<"$text"): check the network and apt's sources ($3)"
		if [ -n "${UWIND_LOST:-}" ]; then printf '%s\n' "$text" >>"$UWIND_LOST"; fi
	else
		text="$2 cannot be had yet: mirror and index differ: $(renewal_lines "$3" | sed -n 1p): try again later ($3)"
	fi
	note "$text"
	exit "$EX_LOST"
}

# --- locks, names and roots --------------------------------------------------------------------

# lock NAME: hold the cache's lock of that name until this process ends.
lock() {
	local dir
	dir=$(cache_dir)/locks
	mkdir -p "$dir" 2>/dev/null || die "cannot create $dir: set UWIND_CACHE to a writable folder"
	exec {LOCK_FD}>"$dir/$1"
	flock "$LOCK_FD"
}

unlock() { exec {LOCK_FD}>&-; }

host_arch() { dpkg --print-architecture; }

# The Debian suite that this machine runs.
own_suite() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# sources_of ARCH SUITE: lines for apt, of the mirror that this machine's apt uses.
sources_of() {
	if [ "$2" = "$(own_suite)" ]; then "$LAB_DIR/debs.sh" --sources "$1"; else "$LAB_DIR/debs.sh" --sources --suite "$2" "$1"; fi
}

check_arch() {
	case $1 in
	amd64 | arm64) ;;
	*) die "architecture '$1' is not supported: use amd64 or arm64" ;;
	esac
}

# The kernel's own name of an architecture, for make ARCH=.
kernel_arch() { case $1 in amd64) echo x86 ;; *) echo "$1" ;; esac }

# The GNU triplet of an architecture.
triplet() { case $1 in amd64) echo x86_64-linux-gnu ;; arm64) echo aarch64-linux-gnu ;; esac }

# The prefix of the compiler for ARCH: empty for the host's own.
cross_prefix() { if [ "$1" != "$(host_arch)" ]; then echo "$(triplet "$1")-"; fi; }

# in_root ROOT FOLDER COMMAND...: run a command of that root, in a folder there.
in_root() {
	local root=$1 folder=$2 map=()
	shift 2
	if [ "$(id -u)" != 0 ]; then map=(--map-root-user); fi
	if [ "$root" = / ]; then (cd "$folder" && LC_ALL=C "$@"); else LC_ALL=C unshare "${map[@]}" --root="$root" --wd="$folder" "$@"; fi
}

# in_mounted_root ROOT FOLDER NAME=DIR... -- COMMAND...: the same, and in that root's /mnt/NAME lies the host's DIR, for
# as long as the command runs; /proc and /dev are the host's.
in_mounted_root() {
	local root=$1 folder=$2 map=() binds=()
	shift 2
	while [ "$1" != -- ]; do binds+=("$1") && shift; done
	shift
	if [ "$(id -u)" != 0 ]; then map=(--map-root-user); fi
	# shellcheck disable=SC2016  # for the inner shell
	LC_ALL=C unshare "${map[@]}" --mount bash -euc '
		root=$1 folder=$2 count=$3
		shift 3
		mount -t tmpfs tmpfs "$root/mnt"
		for bind in "${@:1:count}"; do
			mkdir "$root/mnt/${bind%%=*}"
			mount --bind "${bind#*=}" "$root/mnt/${bind%%=*}"
		done
		mount --rbind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec unshare --root="$root" --wd="$folder" "${@:count+1}"' in_mounted_root "$root" "$folder" ${#binds[@]} "${binds[@]}" "$@"
}

# bind_devices ROOT: /dev of a root that is mounted nowhere else: the harmless ones, and terminals of its own.
bind_devices() {
	local name
	mount -t tmpfs tmpfs "$1/dev"
	for name in null zero full random urandom; do
		: >"$1/dev/$name"
		mount --bind "/dev/$name" "$1/dev/$name"
	done
	ln -s /proc/self/fd "$1/dev/fd"
	ln -s pts/ptmx "$1/dev/ptmx"
	mkdir "$1/dev/pts"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
}

# memory_mib: what the host can still give away.
memory_mib() { awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo; }

# disk_mib DIR: free space where DIR is, or will be.
disk_mib() {
	local dir=$1
	while [ ! -e "$dir" ]; do dir=$(dirname "$dir"); done
	df -Pm "$dir" | awk 'NR == 2 { print $4 }'
}

hash_of() { sha256sum | cut -c1-16; }

# prune DIR DAYS: forget what nobody has used for so long.
prune() { find "$1" -mindepth 1 -maxdepth 1 -mtime "+$2" -exec rm -rf {} +; }
