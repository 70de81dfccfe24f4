#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The part of check-packages.sh that runs as pid 1 of its own name space, chrooted into a root of Debian 12.
#
# Usage: check-packages-root.sh VERSION ARCH        the packages lie in /checks
set -euo pipefail
cd /checks

VERSION=$1 ARCH=$2
NEXT=$VERSION+next
DEBS=("./uwind_${VERSION}_$ARCH.deb" "./uwind-dkms_${VERSION}_all.deb")
KERNEL=$(cd /lib/modules && echo *)
BAD=0

complain() {
	printf 'FAIL: %s\n' "$*"
	BAD=1
}

# check WHAT COMMAND...
check() {
	local what=$1
	shift
	echo "--- $what"
	"$@" || complain "$what"
}

same() { # WHAT THERE WANTED
	[ "$2" = "$3" ] || complain "$1 is '$2', not '$3'"
}

# --- what is there, and what is left -----------------------------------------------------------

# Apart from dpkg's and apt's books, logs and caches, and the key that DKMS makes once for all modules.
snapshot() {
	find / -xdev \( -path /proc -o -path /run -o -path /dev -o -path /tmp -o -path /checks -o -path /var/log -o -path /var/cache \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path '/var/lib/dkms/mok.*' -o -path '/etc/group*' -o -path '/etc/gshadow*' \) -prune \
		-o -type d -printf '%p %m %U %G\n' -o -printf '%p %y %m %U %G %s %l\n' | sort
	find /etc /lib/modules -xdev -type f ! -path '/etc/group*' ! -path '/etc/gshadow*' -exec sha256sum {} + | sort -k2
	grep -hv '^uwind:' /etc/group /etc/gshadow
}

# dpkg and systemd keep books of their own on packages and units.
remembered() {
	dpkg-query -W -f '${Package} ${Status}\n' 'uwind*' 2>/dev/null || true
	find /var/lib/dpkg/info /var/lib/systemd /var/lib/dkms /usr/src -name '*uwind*'
}

# --- steps -------------------------------------------------------------------------------------

install_packages() { apt-get -q -y install --no-install-recommends "$@"; }

check_installed() {
	same "the group" "$(getent group uwind | cut -d: -f1,4)" uwind:
	same "the reports' folder" "$(stat -c '%a %U:%G' /var/lib/uwind /var/lib/uwind/reports | sort -u)" '750 root:uwind'
	same "the configuration" "$(stat -c '%a %U:%G' /etc/uwind/uwindd.conf)" '644 root:root'
	same "uwind" "$(uwind --version)" "uwind $VERSION"
	same "uwindd" "$(uwindd --version)" "uwindd $VERSION"
	same "a dry run of the folders" "$(systemd-tmpfiles --create --dry-run uwind.conf 2>/dev/null | wc -l)" 0
	[ ! -e /etc/systemd/system/multi-user.target.wants/uwindd.service ] || complain "the service would start unasked"
	grep -q uwind /usr/lib/modules-load.d/uwind.conf || complain "the module is not loaded at boot"
}

check_module() { # VERSION
	local file
	same "DKMS's word" "$(dkms status)" "uwind/$1, $KERNEL, $(uname -m): installed"
	file=$(find "/lib/modules/$KERNEL" -name 'uwind.ko*')
	same "the module's version" "$(modinfo -F version "$file")" "$1"
	same "the module's kernel" "$(modinfo -F vermagic "$file" | cut -d' ' -f1)" "$KERNEL"
	[ -n "$(modinfo -F signer "$file")" ] || complain "the module is not signed"
	same "what stays in the kernel" "$(modinfo -F depends "$file")" uwind_resident1
	[ -n "$(modinfo -F signer "${file/uwind.ko/uwind_resident1.ko}")" ] || complain "uwind_resident1 is not signed"
	same "what modprobe would load first" "$(modprobe -S "$KERNEL" --show-depends uwind | head -1)" "insmod ${file/uwind.ko/uwind_resident1.ko} "
	same "what modprobe would load" "$(modprobe -S "$KERNEL" --show-depends uwind | tail -1)" "insmod $file "
}

# DKMS leaves alone what the module cannot be built for (77), by the kernel's name and by its options.
check_exclusive() {
	local name status tree=/tmp/headers
	mkdir -p $tree
	for name in 5.10.0-30-amd64 6.0.0-6-amd64 "$KERNEL"; do
		cp "/lib/modules/$KERNEL/build/.config" $tree/.config
		if [ "$name" = "$KERNEL" ]; then
			sed -i 's/^CONFIG_PERF_EVENTS=y/# CONFIG_PERF_EVENTS is not set/' $tree/.config
			name=6.1.0-other
		fi
		status=0
		dkms build -m uwind -v "$VERSION" -k "$name" --kernelsourcedir $tree >/dev/null 2>&1 || status=$?
		same "DKMS's answer for $name" $status 77
	done
	rm -rf $tree
	check_names
}

check_names() {
	local BUILD_EXCLUSIVE_KERNEL name
	eval "$(grep ^BUILD_EXCLUSIVE_KERNEL "/usr/src/uwind-$VERSION/dkms.conf")"
	for name in 6.1.0-56-amd64 6.1.0-rt-amd64 6.12.9+deb13-amd64 6.10-rc1 7.0.1 7.2.13+deb14-arm64 10.0.0; do
		[[ $name =~ $BUILD_EXCLUSIVE_KERNEL ]] || complain "DKMS would not build for $name"
	done
	for name in 4.19.0 5.10.0 6.0.12-1 6.0-rc7 16; do
		[[ ! $name =~ $BUILD_EXCLUSIVE_KERNEL ]] || complain "DKMS would build for $name"
	done
}

check_documents() {
	local page name
	for page in $(dpkg -L uwind | grep '/man/man.*\.gz$'); do
		name=$(basename "$page" .gz)
		zcat "$page" | mandoc -T lint -W warning || complain "mandoc's words on $name are above"
		man -w "${name##*.}" "${name%.*}" >/dev/null || complain "man does not find $name"
	done
}

check_completions() {
	bash -c '. /usr/share/bash-completion/completions/uwind && complete -p uwind' || complain "bash's"
	timeout 300 zsh -f check-completions.zsh || complain "zsh's"
}

# The same packages under the next version number.
repack() {
	local deb dir=/checks/next
	for deb in "${DEBS[@]}"; do
		rm -rf $dir
		dpkg-deb -R "$deb" $dir
		sed -i "s/^Version: .*/Version: $NEXT/" $dir/DEBIAN/control
		if [ -d "$dir/usr/src/uwind-$VERSION" ]; then
			mv "$dir/usr/src/uwind-$VERSION" "$dir/usr/src/uwind-$NEXT"
			sed -i "s/^\(PACKAGE_VERSION=\).*/\1\"$NEXT\"/" "$dir/usr/src/uwind-$NEXT/dkms.conf"
			sed -i "s/^\(DKMS_VERSION=\).*/\1$NEXT/" $dir/DEBIAN/p*
			sed -i "s,usr/src/uwind-$VERSION,usr/src/uwind-$NEXT,; /dkms.conf/d" $dir/DEBIAN/md5sums
		fi
		dpkg-deb --root-owner-group -b $dir "$(basename "$deb" | sed "s/$VERSION/$NEXT/")"
	done
}

check_upgrade() {
	echo "keep = 7" >>/etc/uwind/uwindd.conf
	repack
	install_packages "./uwind_${NEXT}_$ARCH.deb" "./uwind-dkms_${NEXT}_all.deb"
	same "a changed configuration" "$(tail -1 /etc/uwind/uwindd.conf)" "keep = 7"
	check_module "$NEXT"
}

# Reports and the configuration outlive a removal, not a purge.
check_removal() {
	touch /var/lib/uwind/reports/uwind-20260131T235959Z.json
	apt-get -q -y remove uwind uwind-dkms
	[ -e /var/lib/uwind/reports/uwind-20260131T235959Z.json ] || complain "removing deleted a report"
	[ -e /etc/uwind/uwindd.conf ] || complain "removing deleted the configuration"
	same "DKMS's word after removing" "$(dkms status)" ""
	apt-get -q -y purge uwind uwind-dkms
}

check_nothing_left() {
	snapshot >/tmp/after
	diff /tmp/before /tmp/after || complain "the lines above are what purging left (>) or took away (<)"
	same "what dpkg, systemd or DKMS remember" "$(remembered)" ""
	same "the group, which stays" "$(getent group uwind | cut -d: -f1)" uwind
}

check_lintian() { lintian --allow-root --fail-on error,warning -- *"_$VERSION"_*.deb; }

main() {
	check "lintian" check_lintian
	depmod "$KERNEL"
	snapshot >/tmp/before
	check "installing" install_packages "${DEBS[@]}"
	check "what is installed" check_installed
	check "the module" check_module "$VERSION"
	check "kernels that it is not for" check_exclusive
	check "manual pages" check_documents
	check "completions" check_completions
	check "upgrading" check_upgrade
	check "removing and purging" check_removal
	check "nothing is left" check_nothing_left
	[ "$BAD" = 0 ]
}

main
