/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LINUX_RCUPDATE_H
#define BENCH_LINUX_RCUPDATE_H

#include <linux/types.h>

struct rcu_head {
	char unused;
};

#define rcu_read_lock()                          ((void)0)
#define rcu_read_unlock()                        ((void)0)
#define rcu_dereference(pointer)                 READ_ONCE(pointer)
#define rcu_dereference_protected(pointer, held) ((void)(held), (pointer))
#define rcu_assign_pointer(pointer, value)       WRITE_ONCE(pointer, value)
#define RCU_INIT_POINTER(pointer, value)         WRITE_ONCE(pointer, value)
#define kvfree_rcu(object, head)                 kvfree(object)

#define rcu_replace_pointer(pointer, value, held)       \
	({                                              \
		__typeof__(pointer) before = (pointer); \
                                                        \
		(void)(held);                           \
		(pointer) = (value);                    \
		before;                                 \
	})

#define smp_load_acquire(word)         __atomic_load_n(word, __ATOMIC_ACQUIRE)
#define smp_store_release(word, value) __atomic_store_n(word, value, __ATOMIC_RELEASE)

#endif
