/*
 * test_library_threads.c - what the thread sanitizer is to see: many threads ask one tuner while another
 * process, and another connection of this one, write to its database; no answer may be wrong meanwhile, and
 * what was stored is found in the end. And many ask what nobody has asked before, so that what is built in is
 * read while others wait for it.
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

/* The right answer, whatever is written meanwhile; NULL, or the error. */
static const char *ask_once(const asking *a)
{
    static const at_problem NEAR = { .struct_bytes = sizeof(at_problem),
                                     .op = "transpose",
                                     .type = AT_TYPE_F32,
                                     .size_count = 2,
                                     .sizes = { 1024, 4096 } };
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
        at_problem p = { .struct_bytes = sizeof(at_problem),
                         .op = "transpose",
                         .type = AT_TYPE_F32,
                         .size_count = 2,
                         .sizes = { 512, 512 + 32 * i } };
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

/* ---- what nobody has asked before ---- */

enum { OPS = 32, TEMPLATES = 64, QUESTIONS = 4 };

typedef struct reading {
    const atx_catalog *catalog;
    pthread_barrier_t *together;
    int first; /* the op that it begins with */
    const atx_template *seen[OPS][TEMPLATES];
} reading;

static void *read_templates(void *argument)
{
    reading *r = argument;
    int ops = atx_catalog_op_count(r->catalog);
    pthread_barrier_wait(r->together);
    for (int i = 0; i < ops && ops <= OPS; i++) {
        int at = (r->first + i) % ops;
        const atx_op *op = atx_catalog_op(r->catalog, at);
        int count = atx_catalog_template_count(r->catalog, op);
        for (int k = 0; k < count && count <= TEMPLATES; k++)
            r->seen[at][k] = atx_catalog_template(r->catalog, op, k);
    }
    return NULL;
}

Test(library_threads, an_operation_that_many_need_at_once_is_read_once_and_is_the_same_for_all)
{
    static reading readings[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t together;
    atx_catalog *catalog = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open_with(&catalog, &(atx_catalog_options){ .lazily = true }, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){ .catalog = catalog, .together = &together, .first = i / 2 };
        cr_assert_eq(pthread_create(&threads[i], NULL, read_templates, &readings[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(atx_catalog_failure(catalog, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(memcmp(readings[i].seen, readings[0].seen, sizeof readings[0].seen), 0, "thread %d", i);
    for (int i = 0; i < atx_catalog_op_count(catalog); i++)
        cr_assert_not_null(readings[0].seen[i][0], "%s", atx_catalog_op_name(catalog, i));
    pthread_barrier_destroy(&together);
    atx_catalog_close(catalog);
}

/* Exact, of a model, of another op's templates, of a layout that is turned into another op's problem. */
static at_problem question(int i)
{
    static const at_problem SIMPLE[QUESTIONS - 1] = {
        { .struct_bytes = sizeof(at_problem),
          .op = "transpose",
          .type = AT_TYPE_F32,
          .size_count = 2,
          .sizes = { 4096, 4096 } },
        { .struct_bytes = sizeof(at_problem),
          .op = "transpose",
          .type = AT_TYPE_F16,
          .size_count = 2,
          .sizes = { 3000, 5000 } },
        { .struct_bytes = sizeof(at_problem),
          .op = "copy",
          .type = AT_TYPE_F32,
          .size_count = 1,
          .sizes = { 123457 } },
    };
    at_problem swapped = AT_PROBLEM_INIT;
    if (i < QUESTIONS - 1)
        return SIMPLE[i];
    bool made =
        at_permute(&swapped, AT_TYPE_F32, 3, (int64_t[]){ 7, 500, 300 }, (int[]){ 0, 2, 1 }, NULL) == AT_OK;
    return made ? swapped : (at_problem){ .struct_bytes = sizeof(at_problem), .op = "none" };
}

typedef struct answers {
    at_tuner *tuner; /* NULL: one of its own */
    pthread_barrier_t *together;
    int first;
    char texts[QUESTIONS][400];
} answers;

static at_tuner *open_new(void)
{
    at_tuner *tuner = NULL;
    return at_open(&tuner, NULL, NULL) == AT_OK ? tuner : NULL;
}

static void *ask_all(void *argument)
{
    answers *a = argument;
    if (a->together)
        pthread_barrier_wait(a->together);
    at_tuner *own = a->tuner ? NULL : open_new();
    for (int i = 0; i < QUESTIONS; i++) {
        int at = (a->first + i) % QUESTIONS;
        at_found *found = NULL;
        at_problem problem = question(at);
        if (at_find(&found, own ? own : a->tuner, &problem, &ON_H200, NULL) == AT_OK)
            snprintf(a->texts[at], sizeof a->texts[at], "%s %s %s: %s", found->op,
                     at_match_name(found->match), found->template_name ? found->template_name : "",
                     found->config);
        at_found_close(found);
    }
    at_close(own);
    return NULL;
}

Test(library_threads, first_questions_at_once_get_the_answers_of_a_thread_alone)
{
    static answers all[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t together;
    set_or_unset("AUTOTUNE_NO_SHIPPED", NULL);
    answers alone = { .tuner = NULL };
    ask_all(&alone);
    at_tuner *tuner = open_new();
    cr_assert_not_null(tuner);
    cr_assert_eq(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        all[i] = (answers){ .tuner = i % 4 ? tuner : NULL, .together = &together, .first = i };
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_all, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < QUESTIONS; i++) {
        cr_assert_neq(alone.texts[i][0], '\0', "question %d has no answer", i);
        for (int k = 0; k < THREADS; k++)
            cr_expect_str_eq(all[k].texts[i], alone.texts[i], "thread %d", k);
    }
    pthread_barrier_destroy(&together);
    at_close(tuner);
}
