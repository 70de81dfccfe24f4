// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The four ABIs, for code that learns at run time which one it serves.
 */
#include "types.h"

const struct uw_abi uw_abis[UW_NR_ARCHES] = {
	[UW_ARCH_X86_64] = { UW_ABI_X86_64 },
	[UW_ARCH_ARM64] = { UW_ABI_ARM64 },
	[UW_ARCH_I386] = { UW_ABI_I386 },
	[UW_ARCH_ARM] = { UW_ABI_ARM },
};
