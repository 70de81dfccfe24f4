/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modules that come and go.
 */
#ifndef UW_TEXT_MODULE_H
#define UW_TEXT_MODULE_H

/* Report them from now on. Process context, as is the end, which waits for those that are being reported. */
int uw_text_module_start(void);
void uw_text_module_stop(void);

#endif
