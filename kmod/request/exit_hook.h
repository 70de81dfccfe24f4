/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last moment of a task's memory.
 */
#ifndef UW_EXIT_HOOK_H
#define UW_EXIT_HOOK_H

/* A kernel without kprobes does without, and says so: what is open when a task exits is lost there. */
int uw_exit_hook_init(void);

/* Waits for those that are inside. */
void uw_exit_hook_exit(void);

#endif
