/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/uwind-self.
 */
#ifndef UW_SELF_H
#define UW_SELF_H

/* Nobody can open it before uw_self_serve(). */
int uw_self_init(void);
void uw_self_serve(void);
void uw_self_exit(void);

#endif
