#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Downloads Debian packages, with what they depend on, of any architecture into the cache, and prints the files' paths.
#
# Usage: debs.sh [--only] [--update] [--suite SUITE] ARCH PACKAGE[:ARCH]...
#        debs.sh --sources [--suite SUITE] ARCH    prints the sources, security updates among them
#   --only    just these packages, without dependencies
#   --update  first fetch a fresh package index (else only once in seven days)
#   --suite   from this Debian suite (trixie, sid, trixie-backports) instead of the host's own
# Dependencies are Depends and Pre-Depends, resolved as if nothing was installed, in an apt state of its own:
# the host's apt and dpkg never notice. The mirror, proxy and keys are those that the host's apt uses.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

INDEX_DAYS=7
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

usage() { die "usage: debs.sh [--only] [--update] [--suite SUITE] ARCH PACKAGE[:ARCH]..."; }

# The state's name says which architectures it resolves for: amd64, amd64+i386.
architectures() {
	local first=$1 p
	shift
	{
		for p in "$@"; do
			case $p in *:any | *:all) ;; *:*) echo "${p##*:}" ;; esac
		done
	} | sort -u | { grep -vx "$first" || true; } | { printf '%s' "$first"; while read -r p; do printf '+%s' "$p"; done; }
}

write_conf() {
	local a
	mkdir -p "$STATE/lists/partial" "$STATE/cache" "$STATE/resolved" "$DEBS/partial"
	: >"$STATE/status"
	{
		echo "#clear APT::Architectures;"
		echo "#clear APT::Update::Post-Invoke;"
		echo "#clear APT::Update::Post-Invoke-Success;"
		echo "#clear APT::Update::Pre-Invoke;"
		echo "#clear DPkg::Post-Invoke;"
		echo "APT::Architecture \"$ARCH\";"
		for a in ${ARCHES//+/ }; do echo "APT::Architectures:: \"$a\";"; done
		cat <<-CONF
			APT::Sandbox::User "root";
			APT::Install-Recommends "false";
			APT::Install-Suggests "false";
			Acquire::Languages "none";
			Dir::State "$STATE";
			Dir::State::lists "$STATE/lists";
			Dir::State::status "$STATE/status";
			Dir::Cache "$STATE/cache";
			Dir::Cache::archives "$DEBS";
			Dir::Etc::preferences "$STATE/none";
			Dir::Etc::preferencesparts "$STATE/none";
		CONF
	} >"$STATE/apt.conf"
}

# The host's own sources, third-party ones included: only to find out which are Debian's.
apt_any() { apt_get -c "$STATE/apt.conf" "$@"; }

apt_debian() { apt_any -o Dir::Etc::sourcelist="$STATE/sources.list" -o Dir::Etc::sourceparts="$STATE/none" "$@"; }

# Reads index targets and writes the one-line sources of those whose Release file says Debian.
# apt does not tell a source's key file here: Debian's own keyring, else what apt trusts anyway.
debian_only() {
	local signed=
	if [ -e "$KEYRING" ]; then signed="[signed-by=$KEYRING] "; fi
	awk -F'|' -v signed="$signed" '$1 == "Debian" && !seen[$0]++ { printf "deb %s%s %s %s\n", signed, $2, $3, $4 }'
}

list_targets() {
	# shellcheck disable=SC2016  # apt expands these
	"$@" indextargets --format '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages'
}

# sources_known_to APT_GET...: an apt that has no index of its own knows none.
sources_known_to() {
	list_targets "$@" 2>/dev/null | debian_only >"$STATE/sources.list.new" || true
	[ -s "$STATE/sources.list.new" ]
}

# Whatever else the host's apt is told to look at need not be there.
update_any() {
	apt_any -qq update || true
	sources_known_to apt_any
}

find_sources() {
	local what="the package index of apt's own sources" log=$STATE/sources.log status=0
	sources_known_to apt-get || fetch_patiently "$what" "$log" update_any || status=$?
	case $status in
	0) mv "$STATE/sources.list.new" "$STATE/sources.list" ;;
	"$EX_LOST") die_fetching $status "$what" "$log" ;;
	*) die "apt knows no Debian source: check /etc/apt/sources.list and that 'apt-get update' works ($log)" ;;
	esac
}

# The host's sources with the other suite's name: bookworm-security becomes trixie-security. Of sid, whose Release file
# can be older than it says it is good for, and of backports there is one list only.
rename_suite() {
	local host option=
	[ -n "$SUITE" ] || return 0
	host=$(awk '$(NF - 1) !~ /-/ { print $(NF - 1); exit }' "$STATE/sources.list")
	if [ "$SUITE" = sid ]; then option='[check-valid-until=no] '; fi
	awk -v host="$host" -v suite="$SUITE" -v option="$option" '
		index($(NF - 1), host) != 1 { next }
		suite ~ /^(sid|.*-backports)$/ && $(NF - 1) != host { next }
		{ $(NF - 1) = suite substr($(NF - 1), length(host) + 1); sub(/^deb /, "deb " option); sub(/\] \[/, " "); print }' \
		"$STATE/sources.list" >"$STATE/sources.list.new"
	mv "$STATE/sources.list.new" "$STATE/sources.list"
}

index_is_fresh() {
	[ -e "$STATE/index-stamp" ] && [ -z "$(find "$STATE/index-stamp" -mtime "+$INDEX_DAYS")" ]
}

has_index() { compgen -G "$STATE/lists/*_Packages*" >/dev/null; }

# A mirror that is being renewed can lack a part for hours, and a network can be gone: go on with what is there, and look
# again in a day. What such an index does not know may exist all the same: index-partial says so.
update_index() {
	local what="the package index for $ARCHES of ${SUITE:-$(own_suite)}" log=$STATE/update.log status=0 how=fetch_patiently
	write_conf
	find_sources
	rename_suite
	rm -f "$STATE/index-partial"
	if has_index; then how=fetch; fi
	"$how" "$what" "$log" apt_debian -qq update || status=$?
	if [ "$status" != 0 ] || grep -q '^E:' "$log"; then
		if has_index; then
			note "a part of $what could not be renewed, going on without: $(first_error "$log") ($log)"
			cp "$log" "$STATE/index-partial"
		elif [ "$status" = "$EX_LOST" ]; then
			die_fetching $status "$what" "$log"
		else
			die "there is no $what: $(first_error "$log"): check that 'apt-get update' works ($log)"
		fi
	fi
	date +%s.%N >"$STATE/index-stamp"
	[ ! -e "$STATE/index-partial" ] || touch -d "$((INDEX_DAYS - 1)) days ago" "$STATE/index-stamp"
}

# uris: what apt would fetch, one "file-name size" per line. An empty archive: apt leaves out what it has already.
uris() {
	local verb=install
	if [ "$ONLY" = 1 ]; then verb=download; fi
	mkdir -p "$STATE/empty/partial"
	cd "$STATE/empty"
	apt_debian -qq -o Dir::Cache::archives="$STATE/empty" --print-uris "$verb" "$@" 2>"$LOG" | awk '/^\x27/ { print $2, $3 }'
}

have_all() {
	local name size
	while read -r name size; do
		[ "$(stat -c %s "$DEBS/$name" 2>/dev/null)" = "$size" ] || return 1
	done <"$1"
}

download() {
	if [ "$ONLY" = 1 ]; then
		(cd "$DEBS" && apt_debian -qq download "$@")
	else
		apt_debian -qq -y --download-only install "$@"
	fi
}

# One at a time, whatever the state: they share the archive, in which apt would not wait for another.
download_in_turn() (
	lock archive
	fetch "$WHAT" "$LOG" download "$@"
)

list_of() { printf '%s/resolved/%s\n' "$STATE" "$(printf '%s\n' "$ONLY" "$(cat "$STATE/index-stamp")" "$@" | hash_of)"; }

# resolve LIST PACKAGE...: 1 if that fails because the mirror is being renewed.
resolve() {
	local list=$1 why
	shift
	if (uris "$@") >"$list.new" && [ -s "$list.new" ]; then
		mv "$list.new" "$list"
		return
	fi
	if [ -s "$STATE/index-partial" ]; then
		! lost_lines "$STATE/index-partial" >/dev/null ||
			die_fetching "$EX_LOST" "what the package index says of $* for $ARCHES of ${SUITE:-$(own_suite)}" "$STATE/update.log"
		cat "$STATE/index-partial" >>"$LOG"
	fi
	! renewal_lines "$LOG" >/dev/null || return 1
	# What apt says is the one line that names the package.
	why=$(sed -n '/^E: / { s///p; q }' "$LOG")
	die "packages for $ARCHES of ${SUITE:-$(own_suite)}: ${why:-apt resolves nothing for $*}: check the name, and apt's sources ($LOG)"
}

# get PACKAGE...: 0 if all files are there now. A mirror drops old versions: what did not do is tried by a fresh index.
get() {
	local list
	[ -z "$TRIED" ] || update_index
	TRIED=1
	list=$(list_of "$@")
	[ -s "$list" ] || resolve "$list" "$@" || return
	have_all "$list" || { download_in_turn "$@" && have_all "$list"; }
}

get_all() { # PACKAGE...
	WHAT="packages for $ARCHES of ${SUITE:-$(own_suite)} ($*)" LOG=$STATE/download.log TRIED=
	patiently "$WHAT" "$LOG" get "$@" || die_fetching $? "$WHAT" "$LOG"
}

main() {
	local update=0 print=
	ONLY=0 SUITE=''
	while [ $# -gt 0 ]; do
		case $1 in
		--only) ONLY=1 ;;
		--update) update=1 ;;
		--sources) print=1 ;;
		--suite) SUITE=${2:-} && shift ;;
		-*) usage ;;
		*) break ;;
		esac
		shift
	done
	[ $# -ge 2 ] || { [ -n "$print" ] && [ $# = 1 ]; } || usage
	ARCH=$1
	shift
	need apt-get flock sha256sum
	ARCHES=$(architectures "$ARCH" "$@")
	DEBS=$(cache_dir)/debs
	STATE=$(cache_dir)/apt/${SUITE:+$SUITE-}$ARCHES
	lock "apt-${STATE##*/}"
	if [ "$update" = 1 ] || ! index_is_fresh; then update_index; fi
	if [ -n "$print" ]; then
		cat "$STATE/sources.list"
		return
	fi
	get_all "$@"
	awk -v dir="$DEBS" '{ print dir "/" $1 }' "$(list_of "$@")"
}

main "$@"
