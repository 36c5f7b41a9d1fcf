/*
 * mail.h - frames (util/wire.h) between ranks, over a link: sending never waits, receiving never waits.
 *
 * One thread uses a mail. Frames from one rank to another arrive in their order.
 */
#ifndef AUTOTUNE_MPI_MAIL_H
#define AUTOTUNE_MPI_MAIL_H

#include "mpi/link.h"
#include "util/wire.h"

typedef struct atx_mail atx_mail;

at_status atx_mail_open(atx_mail **out, const atx_link *link, int size, at_error *err) AT_MUST_CHECK;
void atx_mail_close(atx_mail *mail); /* what was not sent is dropped; NULL is allowed */

/* `body` is copied; NULL: nothing. To a rank that was forgotten it is dropped. false: out of memory, and so
 * dropped. */
bool atx_mail_send(atx_mail *mail, int to, uint32_t kind, const atx_str *body);

/* Goes on with what is being sent. Returns whether anything came of it. */
bool atx_mail_pump(atx_mail *mail);

/* The next frame that has come; false: there is none. `body` is borrowed until the next call. */
bool atx_mail_next(atx_mail *mail, int *from, uint32_t *kind, atx_reader *body);

size_t atx_mail_waiting(const atx_mail *mail, int to); /* bytes that are not sent yet */
bool atx_mail_all_sent(const atx_mail *mail);

/* From now on nothing is sent to a rank that is gone. */
void atx_mail_forget(atx_mail *mail, int rank);

/* The link no longer works. */
bool atx_mail_broken(const atx_mail *mail);

#endif
