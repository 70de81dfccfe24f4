/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket that a session's messages go to. reader.c explains why it is held.
 */
#ifndef UW_READER_H
#define UW_READER_H

#include <linux/types.h>

struct file;
struct genl_family;
struct net;
struct sk_buff;

/*
 * Zeros: nobody. Owned by one struct uw_client, whose mutex protects it; constant while there is a session, whose
 * worker reads it without the mutex.
 */
struct uw_reader {
	struct file *file;                /* holds a reference; NULL: nobody */
	const struct genl_family *family; /* whose messages it reads. Lifetime: the module's */
	struct net *net;                  /* the socket's. Lifetime: as long as file is held */
	u32 portid;                       /* the socket's, as long as file is held */
};

/*
 * The socket from which request came, of that family, in whose context the sender still is.
 * -ENOTSOCK: it has no file.
 */
int uw_reader_init(struct uw_reader *reader, const struct genl_family *family, const struct sk_buff *request);

/* No message of any session can be on its way to it any more. */
void uw_reader_deinit(struct uw_reader *reader);

/* True once nobody can read from it any more, as ours is the only reference. It stays true. */
bool uw_reader_is_gone(const struct uw_reader *reader);

/* Send a message, or free it and return an error. Does not wait for the reader. May sleep. */
int uw_reader_send(const struct uw_reader *reader, struct sk_buff *message);

#endif
