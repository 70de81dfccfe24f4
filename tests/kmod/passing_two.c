// SPDX-License-Identifier: GPL-2.0
/* One of two modules that are the same but for the names of their functions. */
#define PASSING(name) passing_two_##name
#include "passing.h"
