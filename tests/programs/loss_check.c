// SPDX-License-Identifier: GPL-2.0
// The books of a session whose reader stops reading for a while: prints "ok RULE" or "FAIL RULE".
//
// Usage: loss_check          as root, with the module loaded
#include "check.h"
#include "reader.h"

#define RATE_HZ     1999
#define NR_LOST     100
#define NR_RECEIVED 100
#define PATIENCE_MS 60000

static uint64_t received; /* triggers that samples answer */

static void read_record(const uint8_t *at, const struct uwind_record *record)
{
	const struct uwind_record_sample *sample = (const void *)at;

	if (record->type == UWIND_RECORD_SAMPLE && !sample->lost)
		received += sample->weight;
	else if (record->type == UWIND_RECORD_NEXT)
		received++;
}

/* To be sampled. */
static void spin(long ms)
{
	long end = now_ms() + ms;

	while (now_ms() < end)
		;
}

static void lose(const struct session *session)
{
	long last = now_ms() + PATIENCE_MS;

	session_set_buffer(session, 1);
	while (session_stats(session).lost[UWIND_LOSS_DROPPED] < NR_LOST && now_ms() < last)
		spin(10);
	session_set_buffer(session, 32 << 20);
}

static __u64 sum_of(const __u64 *numbers, int nr)
{
	__u64 sum = 0;

	while (nr--)
		sum += numbers[nr];
	return sum;
}

static void check_books(const struct uwind_session_stats *stats)
{
	uint64_t lost = sum_of(stats->lost, 16);
	char detail[128];

	snprintf(detail, sizeof(detail), "%llu are", (unsigned long long)stats->lost[UWIND_LOSS_DROPPED]);
	check("what a full socket refuses is lost", stats->lost[UWIND_LOSS_DROPPED] >= NR_LOST, detail);
	snprintf(detail, sizeof(detail), "%llu of %llu", (unsigned long long)received,
		 (unsigned long long)stats->answered);
	check("what counts as answered has arrived", received >= NR_RECEIVED && received == stats->answered, detail);
	snprintf(detail, sizeof(detail), "%llu requests, %llu answered, %llu lost, %llu open",
		 (unsigned long long)stats->requested, (unsigned long long)stats->answered, (unsigned long long)lost,
		 (unsigned long long)stats->pending);
	check("each request is answered, lost or open", stats->requested == stats->answered + lost + stats->pending,
	      detail);
}

int main(void)
{
	struct uwind_session_stats stats;
	struct session session;
	long last;

	session_begin(&session, (struct uwind_session_start){ .flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
							      .rate = RATE_HZ });
	lose(&session);
	for (last = now_ms() + PATIENCE_MS; received < NR_RECEIVED && now_ms() < last;) {
		spin(10);
		session_read(&session, 0, read_record);
	}
	stats = session_end(&session, read_record);
	check_books(&stats);
	return check_failures != 0;
}
