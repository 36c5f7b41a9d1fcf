/*
 * test_library_threads.c - many threads ask one tuner while another process, and another connection of this
 * one, write to its database: the case that the thread sanitizer is to see. No answer may be wrong meanwhile,
 * and what was stored is found in the end.
 */
#include "library_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

TestSuite(library_threads, .init = set_up, .fini = tear_down, .timeout = 600);

enum { THREADS = 16, LEAST_ROUNDS = 10, SHAPES = 6 };

typedef struct asking {
    at_tuner *tuner;
    const char *source; /* of the tuned problem */
    atomic_bool stop;
    atomic_int rounds;
} asking;

/* The right answer, whatever is written meanwhile; NULL, or what was wrong. */
static const char *ask_once(const asking *a)
{
    static const at_problem NEAR = {
        .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 1024, 4096 }
    };
    const char *wrong = NULL;
    at_found *found = NULL, *near = NULL;
    char *source = NULL;
    if (at_find(&found, a->tuner, &TUNED, &ON_H200, NULL) != AT_OK ||
        at_find(&near, a->tuner, &NEAR, &ON_H200, NULL) != AT_OK)
        wrong = "a look-up failed";
    else if (found->match != AT_MATCH_EXACT || strcmp(found->config, CONFIG) != 0)
        wrong = "what was tuned got another answer";
    else if (near->match != AT_MATCH_NEAR || !near->template_name)
        wrong = "what was not tuned got no near answer";
    else if (at_source(&source, found, NULL) != AT_OK || strcmp(source, a->source) != 0)
        wrong = "the source is another one";
    at_free(source);
    at_found_close(found);
    at_found_close(near);
    return wrong;
}

static void *ask_on(void *argument)
{
    asking *a = argument;
    const char *wrong = NULL;
    for (int i = 0; !wrong && (i < LEAST_ROUNDS || !a->stop); i++) {
        wrong = ask_once(a);
        a->rounds++;
    }
    return (void *)(uintptr_t)wrong;
}

/* The process has ended when it has stored everything. */
static void write_beside(pid_t writer)
{
    char shape[32];
    int state = -1;
    for (int i = 0; i < SHAPES; i++) {
        snprintf(shape, sizeof shape, "512x%d", 512 + 32 * i);
        put_winner(shape, 512 * (512 + 32 * i), "NVIDIA H200", 132);
    }
    cr_assert_eq(waitpid(writer, &state, 0), writer);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0, "%x", (unsigned)state);
}

static void expect_found(at_tuner *tuner)
{
    nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL); /* answers are a tenth of a second old */
    for (int i = 0; i < SHAPES; i++) {
        at_problem p = { .op = "transpose", .type = AT_F32, .size_count = 2, .sizes = { 512, 512 + 32 * i } };
        at_found *found = find_ok(tuner, p, &ON_H200);
        cr_assert_eq(found->match, AT_MATCH_EXACT, "%d: %s", i, found->why);
        at_found_close(found);
    }
}

Test(library_threads, answers_stay_right_while_another_process_writes)
{
    pthread_t threads[THREADS];
    void *wrong[THREADS];
    char *source = NULL;
    asking a = { .tuner = tuner_with_winner() };
    at_found *found = find_ok(a.tuner, TUNED, &ON_H200);
    cr_assert_eq(at_source(&source, found, NULL), AT_OK);
    at_found_close(found);
    a.source = source;
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_on, &a), 0);
    write_beside(spawn_batches(AT_STORE_WRITER, home.db, 200, 0, NULL));
    a.stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], &wrong[i]);
    for (int i = 0; i < THREADS; i++)
        cr_assert_null(wrong[i], "thread %d: %s", i, (const char *)wrong[i]);
    cr_assert_geq(a.rounds, THREADS * LEAST_ROUNDS);
    expect_found(a.tuner);
    at_free(source);
    at_close(a.tuner);
}
