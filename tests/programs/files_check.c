// SPDX-License-Identifier: GPL-2.0
// What a session is told of files: prints "ok RULE" or "FAIL RULE".
//
// Usage: files_check announced   a reader that stops reading, and reads on: it learns of every file that frames lie in, also
//                                of those that were run but once, while it stood still
//        files_check crowded     one that stands still while more files are met than can wait: the same, the others are lost
//        files_check nameless    a file with a path that is too long: each CPU announces it once at most
//        files_check kept UID    files that nobody runs now keep their numbers, while a user runs ever new ones
//
// As root, with the module loaded, in a folder of its own. Code is a few bytes in files of their own, so that a sample
// needs no table to lie in one. kept: with so few max_files that the user's part is used up.
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "check.h"
#include "reader.h"

#define RATE_HZ     1999
#define NR_FILES    64
#define NR_ONCE     12
#define NR_KEPT     16
#define DEEP_NAME   240
#define DEEP_LEVELS 15
#define TOO_DEEP    18    /* levels: more than PATH_MAX */
#define NR_NUMBERS  65536 /* of files; higher ones are not looked at */
#define NEW_FILES   150   /* of the user's */
#define NR_NAMELESS 200   /* samples, nearly all in a file without a path */
#define PATIENCE_MS 60000

#define MOST_WAITING (4 << 20) /* bytes of messages that wait, with the socket buffers' own: kmod/session/outbox.c */

/* What has been received of a file number. */
struct known {
	uint32_t announced; /* how often */
	uint32_t tgid;
	bool nameless, used;
	uint64_t inode;
	dev_t device;
};

static struct known files[NR_NUMBERS];
static int whole_samples, next_samples;

/* --- reading ------------------------------------------------------------------------------ */

struct bytes {
	const uint8_t *at, *end;
};

static uint8_t take_byte(struct bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static uint64_t take_number(struct bytes *bytes)
{
	uint64_t value = 0;
	uint8_t byte;
	int shift = 0;

	do {
		byte = take_byte(bytes);
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < 64);
	return value;
}

/* As many frames as a lead is for. Only the files of new places matter: see uwind_words.h. */
static int read_frames(struct bytes *bytes)
{
	uint8_t lead = take_byte(bytes);
	unsigned int method = lead & UWIND_LEAD_METHOD;
	int nr = 1 + (lead >> UWIND_LEAD_PLACE_SHIFT);
	uint64_t file;

	if (method == UWIND_LEAD_RUN || method == UWIND_LEAD_NEAR) {
		for (int left = (method == UWIND_LEAD_RUN ? 3 : 2) * nr; left; left--)
			take_byte(bytes);
		return nr;
	}
	if (method == UWIND_LEAD_METHOD)
		take_byte(bytes);
	if ((lead >> UWIND_LEAD_PLACE_SHIFT & 7) == UWIND_PLACES) {
		file = take_number(bytes);
		take_number(bytes);
		if (file < NR_NUMBERS)
			files[file].used = true;
	}
	take_number(bytes);
	if (lead & UWIND_LEAD_SIZED)
		take_number(bytes);
	return 1;
}

static void note_file(struct known *known, const struct uwind_record_file *file)
{
	known->announced++;
	known->tgid = file->tgid;
	known->nameless = !file->path_bytes && !(file->flags & UWIND_FILE_VDSO);
	known->inode = file->inode;
	known->device = makedev(file->dev_major, file->dev_minor);
}

static void read_record(const uint8_t *at, const struct uwind_record *record)
{
	if (record->type == UWIND_RECORD_FILE) {
		const struct uwind_record_file *file = (const void *)at;

		if (file->file < NR_NUMBERS)
			note_file(&files[file->file], file);
	} else if (record->type == UWIND_RECORD_STACK) {
		const struct uwind_record_stack *stack = (const void *)at;
		struct bytes bytes = { stack->frames, at + record->bytes };

		for (int nr = 0; nr < stack->nr_frames;)
			nr += read_frames(&bytes);
	}
	whole_samples += record->type == UWIND_RECORD_SAMPLE;
	next_samples += record->type == UWIND_RECORD_NEXT;
}

/* --- the session -------------------------------------------------------------------------- */

static void begin(struct session *session)
{
	session_begin(session, (struct uwind_session_start){ .flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
							     .rate = RATE_HZ });
}

/* --- code in files ------------------------------------------------------------------------ */

/* A loop that counts its argument down and returns. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#else
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

typedef void (*count_down_fn)(uint64_t);

/* Code in a file of that name, which is made if need be, mapped there or anywhere. */
static void *map_code(const char *name, void *there)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	struct stat status;
	void *at;

	if (fstat(fd, &status) || (!status.st_size && write(fd, code, sizeof(code)) != sizeof(code)))
		exit(1);
	at = mmap(there, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (there ? MAP_FIXED : 0), fd, 0);
	if (at == MAP_FAILED)
		exit(1);
	close(fd);
	return at;
}

static void run_code(void *at, long ms)
{
	long end = now_ms() + ms;

	do
		((count_down_fn)at)(100000);
	while (now_ms() < end);
}

/* One file after the other, at one address, so that nothing remembers those before. */
static void run_ever_new(long ms)
{
	void *at = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[32];

	for (int i = 0;; i++) {
		snprintf(name, sizeof(name), "new/%d", i);
		run_code(map_code(name, at), ms);
		unlink(name);
	}
}

/* --- counting ----------------------------------------------------------------------------- */

static void count_files(int *used, int *unknown)
{
	*used = *unknown = 0;
	for (int i = 1; i < NR_NUMBERS; i++) {
		*used += files[i].used;
		*unknown += files[i].used && !files[i].announced;
	}
}

static bool is_of(const struct known *file, pid_t pid)
{
	return file->announced && file->tgid == (uint32_t)pid;
}

static int count_of(pid_t pid)
{
	int nr = 0;

	for (int i = 0; i < NR_NUMBERS; i++)
		nr += is_of(&files[i], pid);
	return nr;
}

/* --- children ----------------------------------------------------------------------------- */

/* A child that dies with us. */
static pid_t start(uid_t user)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (user && (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user)))
			_exit(1);
	}
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- announced ---------------------------------------------------------------------------- */

static void run_all(int worker)
{
	void *at[NR_FILES];
	char name[32];

	for (int i = 0; i < NR_FILES; i++) {
		snprintf(name, sizeof(name), "code.%d.%d", worker, i);
		at[i] = map_code(name, NULL);
	}
	for (int i = 0;; i = (i + 1) % NR_FILES)
		run_code(at[i], 5);
}

/* Runs a new file, for each byte that it is sent, and never again. */
static void run_once(int requests, int answers)
{
	char name[32], byte;

	for (int i = 0; read(requests, &byte, 1) == 1; i++) {
		snprintf(name, sizeof(name), "once.%d", i);
		run_code(map_code(name, NULL), 30);
		if (write(answers, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void wait_for_loss(const struct session *session)
{
	uint64_t before = session_stats(session).messages_dropped;
	long last = now_ms() + PATIENCE_MS;

	while (session_stats(session).messages_dropped < before + 2 && now_ms() < last)
		usleep(1000);
}

/* Files that are met while the reader stands still, and their frames are still on their way when it reads on. */
static void read_once(const struct session *session)
{
	int requests[2], answers[2];
	char byte = 0;
	pid_t pid;

	if (pipe2(requests, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		exit(1);
	if ((pid = start(0)) == 0)
		run_once(requests[0], answers[1]);
	for (int i = 0; i < NR_ONCE; i++) {
		session_set_buffer(session, 1);
		wait_for_loss(session);
		if (write(requests[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1)
			exit(1);
		session_set_buffer(session, 32 << 20);
		session_read(session, 200, read_record);
	}
	stop(pid);
}

static void check_announced(void)
{
	pid_t workers[2];
	struct session session;
	uint64_t dropped;
	char detail[128];
	int used, unknown;

	for (int i = 0; i < 2; i++)
		if ((workers[i] = start(0)) == 0)
			run_all(i);
	begin(&session);
	session_set_buffer(&session, 1);
	usleep(3000000);
	dropped = session_stats(&session).messages_dropped;
	session_set_buffer(&session, 32 << 20);
	session_read(&session, 4000, read_record);
	read_once(&session);
	session_end(&session, read_record);
	for (int i = 0; i < 2; i++)
		stop(workers[i]);
	count_files(&used, &unknown);
	snprintf(detail, sizeof(detail), "%llu messages", (unsigned long long)dropped);
	check("a reader that stops reading loses messages", dropped > 0, detail);
	snprintf(detail, sizeof(detail), "in %d", used);
	check("frames lie in many files", used >= NR_FILES + NR_ONCE, detail);
	snprintf(detail, sizeof(detail), "%d of %d never were, after %llu lost messages", unknown, used,
		 (unsigned long long)dropped);
	check("each of them is announced in a message that arrives", unknown == 0, detail);
	snprintf(detail, sizeof(detail), "%d whole, %d as differences", whole_samples, next_samples);
	check("most samples say only how they differ from the one before", next_samples > whole_samples, detail);
}

/* --- crowded ------------------------------------------------------------------------------ */

/* Into a folder with a path so long that a message with one of its files is, too. */
static void go_deep(int levels)
{
	char name[DEEP_NAME + 1];

	memset(name, 'd', DEEP_NAME);
	name[DEEP_NAME] = 0;
	for (int i = 0; i < levels; i++)
		if ((mkdir(name, 0755) && errno != EEXIST) || chdir(name))
			exit(1);
	if (mkdir("new", 0755) && errno != EEXIST)
		exit(1);
}

static void check_crowded(void)
{
	struct session session;
	struct uwind_session_stats stats;
	char detail[128];
	long last;
	pid_t pid;
	int used, unknown;

	if ((pid = start(0)) == 0) {
		go_deep(DEEP_LEVELS);
		run_ever_new(2);
	}
	begin(&session);
	session_set_buffer(&session, 1);
	for (last = now_ms() + PATIENCE_MS; now_ms() < last && !session_stats(&session).lost[UWIND_LOSS_NOMEM];)
		usleep(1000);
	session_set_buffer(&session, 32 << 20);
	session_read(&session, 1000, read_record);
	stop(pid);
	stats = session_stats(&session);
	session_end(&session, read_record);
	count_files(&used, &unknown);
	snprintf(detail, sizeof(detail), "%llu", (unsigned long long)stats.lost[UWIND_LOSS_NOMEM]);
	check("a stack in a file that cannot wait is lost, and counted", stats.lost[UWIND_LOSS_NOMEM] > 0, detail);
	snprintf(detail, sizeof(detail), "%d of %d were not", unknown, used);
	check("each file that frames lie in is announced", used > 0 && unknown == 0, detail);
	snprintf(detail, sizeof(detail), "%d are", count_of(pid));
	check("those that waited are received", count_of(pid) > MOST_WAITING / (DEEP_NAME * DEEP_LEVELS) / 4, detail);
}

/* --- nameless ----------------------------------------------------------------------------- */

static const struct known *find_nameless(pid_t pid)
{
	for (int i = 1; i < NR_NUMBERS; i++)
		if (is_of(&files[i], pid) && files[i].nameless)
			return &files[i];
	return NULL;
}

static void check_nameless(void)
{
	const struct known *file;
	struct session session;
	char detail[128];
	long last;
	pid_t pid;

	begin(&session);
	session_set_buffer(&session, 32 << 20);
	if ((pid = start(0)) == 0) {
		go_deep(TOO_DEEP);
		run_code(map_code("code", NULL), LONG_MAX / 2);
	}
	for (last = now_ms() + PATIENCE_MS; now_ms() < last && whole_samples + next_samples < NR_NAMELESS;)
		session_read(&session, 100, read_record);
	stop(pid);
	session_end(&session, read_record);
	file = find_nameless(pid);
	snprintf(detail, sizeof(detail), "in none of %d samples", whole_samples + next_samples);
	check("frames lie in a file whose path is too long", file && file->used, detail);
	snprintf(detail, sizeof(detail), "%u times", file ? file->announced : 0);
	check("each CPU announces it once at most", file && file->announced <= sysconf(_SC_NPROCESSORS_ONLN), detail);
}

/* --- kept --------------------------------------------------------------------------------- */

static void run_kept(void)
{
	void *at[NR_KEPT];
	char name[32];

	for (int i = 0; i < NR_KEPT; i++) {
		snprintf(name, sizeof(name), "kept.%d", i);
		at[i] = map_code(name, NULL);
	}
	for (int round = 0; round < 5; round++)
		for (int i = 0; i < NR_KEPT; i++)
			run_code(at[i], 15);
	_exit(0);
}

/* How many of the kept files have so many numbers, or more. */
static int count_kept(int wanted)
{
	int nr = 0;

	for (int i = 0; i < NR_KEPT; i++) {
		struct stat status;
		char name[32];
		int numbers = 0;

		snprintf(name, sizeof(name), "kept.%d", i);
		if (stat(name, &status))
			exit(1);
		for (int n = 0; n < NR_NUMBERS; n++)
			numbers += files[n].announced && files[n].inode == status.st_ino &&
				   files[n].device == status.st_dev;
		nr += numbers >= wanted;
	}
	return nr;
}

static void run_to_its_end(const struct session *session)
{
	pid_t pid = start(0);

	if (pid == 0)
		run_kept();
	while (waitpid(pid, NULL, WNOHANG) == 0)
		session_read(session, 50, read_record);
	session_read(session, 3000, read_record); /* until what is known of its memory has gone */
}

static void check_kept(uid_t user)
{
	struct session session;
	char detail[128];
	pid_t pid;
	long last;
	int met;

	if (mkdir("new", 0755) || chown("new", user, user))
		exit(1);
	begin(&session);
	session_set_buffer(&session, 32 << 20);
	run_to_its_end(&session);
	met = count_kept(1);
	snprintf(detail, sizeof(detail), "%d are", met);
	check("files are met", met > NR_KEPT / 2, detail);
	pid = start(user);
	if (pid == 0)
		run_ever_new(10);
	for (last = now_ms() + PATIENCE_MS; now_ms() < last && count_of(pid) < NEW_FILES;)
		session_read(&session, 200, read_record);
	stop(pid);
	snprintf(detail, sizeof(detail), "%d are met", count_of(pid));
	check("a user runs ever new files", count_of(pid) >= NEW_FILES, detail);
	run_to_its_end(&session);
	session_end(&session, read_record);
	snprintf(detail, sizeof(detail), "%d of %d have lost theirs", count_kept(2), met);
	check("others' files keep their numbers", count_kept(2) == 0, detail);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "announced"))
		check_announced();
	else if (argc == 2 && !strcmp(argv[1], "crowded"))
		check_crowded();
	else if (argc == 2 && !strcmp(argv[1], "nameless"))
		check_nameless();
	else if (argc == 3 && !strcmp(argv[1], "kept"))
		check_kept(atoi(argv[2]));
	else
		return fprintf(stderr, "usage: files_check announced | crowded | nameless | kept UID\n"), 64;
	return check_failures != 0;
}
