/*
 * first_signal.c - part of the program where the thread sanitizer watches it; elsewhere nothing of it.
 *
 * The sanitizer's library lays out where it keeps the signals of a thread when that thread first waits for
 * something. One that arrives meanwhile is laid out for as well, and the second place takes that of the
 * first: until LLVM 16 and gcc 13 such a signal was lost, and whoever sent it waited for ever. Here the
 * thread that gets all signals has waited once before it begins, and before any of them is caught.
 */
#include <time.h>

__attribute__((constructor)) static void wait_once(void)
{
    const struct timespec nothing = { 0 };
    nanosleep(&nothing, NULL);
}
