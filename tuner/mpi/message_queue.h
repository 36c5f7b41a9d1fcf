/*
 * message_queue.h - frames (util/wire.h) between ranks, over a link: sending never waits, receiving never
 * waits.
 *
 * One thread uses a message queue. Frames from one rank to another arrive in their order.
 */
#pragma once

#include "mpi/link.h"
#include "util/wire.h"

typedef struct atx_message_queue atx_message_queue;

at_status atx_message_queue_open(atx_message_queue **out, const atx_link *link, int size,
                                 at_error *err) AT_MUST_CHECK;
void atx_message_queue_close(
    atx_message_queue *message_queue); /* what was not sent is dropped; NULL is allowed */

/* Takes `body`, which is empty then, in any case; NULL: nothing. To a rank that was forgotten it is dropped.
 * false: out of memory, and so dropped. */
bool atx_message_queue_send(atx_message_queue *message_queue, int to, uint32_t kind, atx_str *body);

/* Goes on with what is being sent. Returns whether anything came of it. */
bool atx_message_queue_pump(atx_message_queue *message_queue);

/* The next frame that has come; false: there is none. `body` is borrowed until the next call. */
bool atx_message_queue_next(atx_message_queue *message_queue, int *from, uint32_t *kind, atx_reader *body);

size_t atx_message_queue_waiting(const atx_message_queue *message_queue,
                                 int to); /* bytes that are not sent yet */
bool atx_message_queue_all_sent(const atx_message_queue *message_queue);

/* From now on nothing is sent to a rank that is gone. */
void atx_message_queue_forget(atx_message_queue *message_queue, int rank);

/* The link no longer works. */
bool atx_message_queue_broken(const atx_message_queue *message_queue);
