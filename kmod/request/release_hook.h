/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last moment of a task's memory: it exits, or executes a program.
 */
#ifndef UW_RELEASE_HOOK_H
#define UW_RELEASE_HOOK_H

/* A kernel without kprobes does without, and says so: what is open then is lost there. */
int uw_release_hook_init(void);

/* Waits for those that are inside. */
void uw_release_hook_exit(void);

#endif
