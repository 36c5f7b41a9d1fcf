/*
 * frames.h - the messages between rank 0 and the ranks that serve it. Private to mpi/.
 *
 *     server    HELLO  its rank_info.h, once
 *     rank 0    START  number, argv    make a child; every child has a number of its own
 *     both      BYTES  number, bytes   between the child and its supervisor
 *     rank 0    SHUT   number, grace   close its connection; kill it if it lives on after these seconds
 *     server    ENDED  number, status  after all its bytes; or it could not be made
 *     both      BEAT   nothing, every second
 *     rank 0    END    the reason, "" after success
 *     server    LEAVE  the last message: MPI may end
 */
#pragma once

enum { HELLO = 1, START, BYTES, SHUT, ENDED, BEAT, END, LEAVE };

#define BEAT_S       1.0
#define DISCONNECT_S 5.0 /* for the last words to be sent */

/* Bytes that wait for a rank beyond which its children's supervisors wait too. */
#define MOST_WAITING ((size_t)64 << 20)

/* How long one waits between two looks: short while there is something to do. */
#define SHORT_NS 50000L
#define SLACK_NS 5000L /* by which the system may prolong it */
#define LONG_NS  2000000L
#define BUSY_S   0.05 /* so long since something came or went */
