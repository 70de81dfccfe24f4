#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel differences are dealt with in one file: nowhere else may HAVE_* or a kernel version be tested.
set -euo pipefail
cd "$(dirname "$0")/.."

if grep -rnE '\b(HAVE_[A-Z0-9_]+|LINUX_VERSION_CODE|KERNEL_VERSION)\b' kmod include --include='*.[ch]' |
	grep -vE '^kmod/compat/(compat\.h|probed\.h|probes/)'; then
	echo "the lines above test for kernel features or versions outside kmod/compat/compat.h"
	exit 1
fi
