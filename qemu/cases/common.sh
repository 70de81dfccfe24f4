# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What run-all.sh and the cases share: waiting, and inserting the module. Sourced.

USUAL_MODULE=/lib/modules/$(uname -r)/extra/uwind.ko
MODULE_FILE=$USUAL_MODULE

# shellcheck disable=SC2034  # used by those that source this
PATIENCE=120 # seconds until something that is waited for counts as not coming
waiting=     # what for

# until_true SECONDS COMMAND...: wait for it.
until_true() {
	tries=$(($1 * 10))
	shift
	# shellcheck disable=SC2034  # lib.sh says it
	waiting=$*
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

module_loaded() { grep -q '^uwind ' /proc/modules; }

# insert [PARAMETER=VALUE]...: with what stays in the kernel, unless that is there.
insert() {
	for resident in "${MODULE_FILE%/*}"/uwind_resident*.ko; do
		[ ! -e "$resident" ] || grep -q "^$(basename "$resident" .ko) " /proc/modules || insmod "$resident" || return 1
	done
	insmod "$MODULE_FILE" "$@"
}
