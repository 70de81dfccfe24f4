# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Inserting the module. Sourced by run-all.sh and the cases.

USUAL_MODULE=/lib/modules/$(uname -r)/extra/uwind.ko
MODULE_FILE=$USUAL_MODULE

module_loaded() { grep -q '^uwind ' /proc/modules; }

# insert [PARAMETER=VALUE]...: with what stays in the kernel, unless that is there.
insert() {
	for resident in "${MODULE_FILE%/*}"/uwind_resident*.ko; do
		[ ! -e "$resident" ] || grep -q "^$(basename "$resident" .ko) " /proc/modules || insmod "$resident" || return 1
	done
	insmod "$MODULE_FILE" "$@"
}
