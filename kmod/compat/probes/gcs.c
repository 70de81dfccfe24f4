// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.13 programs of arm64 can have a Guarded Control Stack
 * ("arm64/gcs: Context switch GCS state for EL0").
 */
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/cpufeature.h>
#include <asm/gcs.h>

u64 uw_probe(void);
u64 uw_probe(void)
{
	return system_supports_gcs() && task_gcs_el0_enabled(current) ? read_sysreg_s(SYS_GCSPR_EL0) : 0;
}
