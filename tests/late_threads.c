// SPDX-License-Identifier: GPL-2.0
// Preloaded into the unit tests, holds threads up at random where they lock or unlock a mutex: a test that takes a time
// to be enough for another thread fails then. LATE_SEED in the environment: another number, another run.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ONE_IN  30u /* calls */
#define MOST_NS 60000000u

static __thread uint64_t chance;

static uint64_t seed(void)
{
	const char *text = getenv("LATE_SEED");

	return (text ? strtoull(text, NULL, 10) : 1) * 0x9e3779b97f4a7c15u + (uint64_t)syscall(SYS_gettid);
}

/* Marsaglia's xorshift, which never comes to 0. */
static void be_late(void)
{
	struct timespec time = {0, 0};

	chance = chance ? chance : seed() | 1;
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	time.tv_nsec = (long)((chance >> 32) % MOST_NS);
	if (chance % ONE_IN == 0)
		nanosleep(&time, NULL);
}

#define REAL(name) ((int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, #name))

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);

	if (!real)
		real = REAL(pthread_mutex_lock);
	be_late();
	return real(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);
	int result;

	if (!real)
		real = REAL(pthread_mutex_unlock);
	result = real(mutex);
	be_late();
	return result;
}
