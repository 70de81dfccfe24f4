/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LINUX_JIFFIES_H
#define BENCH_LINUX_JIFFIES_H

#define HZ      250
#define jiffies 0ul

#endif
