// SPDX-License-Identifier: GPL-2.0
/* Since Linux 6.9 modules mark their kfuncs so (a05e90427ef6 "bpf: btf: Add BTF_KFUNCS_START/END macro pair"). */
#include <linux/btf.h>
#include <linux/btf_ids.h>

#ifndef BTF_KFUNCS_START
#error "no kfuncs"
#endif
