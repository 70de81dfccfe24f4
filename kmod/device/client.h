/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One open file of /dev/uwind, and what the ioctls on it do.
 */
#ifndef UW_CLIENT_H
#define UW_CLIENT_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "session/reader.h"

struct cred;
struct uw_quota;
struct uw_session;

/* Also the owner of the tables that it creates. Lifetime: the open file's. */
struct uw_client {
	const struct cred *cred;    /* of the opener. Holds a reference. Set once */
	bool privileged;            /* opened with CAP_PERFMON. Set once */
	struct uw_quota *quota;     /* holds a reference; NULL: privileged. Set once */
	struct mutex mutex;         /* Order: outside sessions_mutex. Taken by trylock where messages are received */
	struct uw_reader reader;    /* Protected by: mutex. Constant while there is a session */
	struct uw_session *session; /* owned; NULL: none. Protected by: mutex */
};

/* Whom it sees: see viewer.h. */
static inline const struct cred *uw_client_viewer(const struct uw_client *client)
{
	return client->privileged ? NULL : client->cred;
}

/* ioctls: context is a struct uw_client, data the struct of the contract. */
int uw_client_table_create(void *context, void *data);
int uw_client_table_destroy(void *context, void *data);
int uw_client_table_tie(void *context, void *data);
int uw_client_table_next(void *context, void *data);
int uw_client_range_bind(void *context, void *data);
int uw_client_range_unbind(void *context, void *data);
int uw_client_session_start(void *context, void *data);
int uw_client_session_enable(void *context, void *data);
int uw_client_session_ask(void *context, void *data);
int uw_client_session_stats(void *context, void *data);
int uw_client_session_stop(void *context, void *data);
int uw_client_watch_text(void *context, void *data);

#endif
