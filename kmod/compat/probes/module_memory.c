// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.4 a module's parts lie in memory of their own each (ac3b43283923 "module: replace module_layout with
 * module_memory").
 */
#include <linux/module.h>

unsigned int uw_probe(const struct module *module);
unsigned int uw_probe(const struct module *module)
{
	return module->mem[MOD_TEXT].size;
}
