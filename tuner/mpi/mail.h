/*
 * mail.h - frames (util/wire.h) between ranks, over a link: sending never waits, receiving never waits.
 *
 * One thread uses a mail. Frames from one rank to another arrive in their order.
 */
#ifndef AUTOTUNE_MPI_MAIL_H
#define AUTOTUNE_MPI_MAIL_H

#include "mpi/link.h"
#include "util/wire.h"

typedef struct at__mail at__mail;

at_status at__mail_open(at__mail **out, const at__link *link, int size, at_error *err) AT_MUST_CHECK;
void at__mail_close(at__mail *mail); /* what was not sent is dropped; NULL is allowed */

/* `body` is copied; NULL: nothing. To a rank that was forgotten it is dropped. false: out of memory, and so
 * dropped. */
bool at__mail_send(at__mail *mail, int to, uint32_t kind, const at__str *body);

/* Goes on with what is being sent. Returns whether anything came of it. */
bool at__mail_pump(at__mail *mail);

/* The next frame that has come; false: there is none. `body` is borrowed until the next call. */
bool at__mail_next(at__mail *mail, int *from, uint32_t *kind, at__reader *body);

size_t at__mail_waiting(const at__mail *mail, int to); /* bytes that are not sent yet */
bool at__mail_all_sent(const at__mail *mail);

/* From now on nothing is sent to a rank that is gone. */
void at__mail_forget(at__mail *mail, int rank);

/* The link no longer works. */
bool at__mail_broken(const at__mail *mail);

#endif
