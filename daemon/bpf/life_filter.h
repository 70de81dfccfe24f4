/* SPDX-License-Identifier: GPL-2.0 */
/* Whose lives the BPF programs tell of, and how much of it they keep. */
#pragma once

enum life_mark {
	LIFE_FOLLOWED = 1,
	LIFE_EXCLUDED,
};

enum life_sizes {
	LIFE_RING_BYTES = 4 << 20,
	LIFE_MARKS = 65536, /* processes */
};
