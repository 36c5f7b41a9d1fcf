/*
 * bench_search.c - how fast strategies find the best configuration of spaces whose every time is recorded.
 *
 * A run is one strategy on one space with one seed, within this process: no store, no device, no compiler.
 * Its curve is the best time so far over the optimum after each trial; failed ones count. The scores are
 * those that tuner/search/README.md explains.
 */
#include "bench_noise.h"
#include "bench_spaces.h"
#include "bench_tried.h"
#include "util/options.h"
#include "util/clock.h"

#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_MARKS      8
#define MAX_STRATEGIES 16
#define AREA_FROM      20    /* the first trial that the area counts */
#define LEAST_LEFT     0.001 /* of what random sampling has not reached yet: with less a trial does not count */
#define LEADERS        10    /* so many of the fastest are measured again, if they are within ... */
#define LEADERS_WITHIN 0.06

static const atx_usage USAGE = {
    "bench_search [options] [FILE...]",
    "Runs search strategies on recorded spaces (databases, or dumps as `autotune dump` and `autotune import` "
    "write\nthem) and prints how close to the optimum they come, and when. Without files: every *.db and "
    "*.jsonl.gz "
    "of\nthe folder $AUTOTUNE_SPACES.",
};

typedef struct settings {
    const atx_strategy *strategies[MAX_STRATEGIES];
    int strategy_count;
    int64_t seeds, evals, lag, pace;
    int64_t marks[MAX_MARKS];
    int mark_count;
    double worth, noise;
    bool hints, count_compiled;
} settings;

/* What one run came to. */
typedef struct run {
    double area;
    double at[MAX_MARKS]; /* best over optimum */
    bool optimum;
    int64_t used, compiled; /* trials; those and what was put off after its compilation */
    double cpu_s;
} run;

/* Means, or medians, over runs. */
typedef struct score {
    double area, at[MAX_MARKS], within_1[MAX_MARKS], within_5[MAX_MARKS], optimum, used, compiled, us;
} score;

/* All runs: by strategy, then space, then seed. Threads draw the next. */
typedef struct field {
    const settings *set;
    const atx_bench_spaces *spaces;
    double **expected; /* of each space: what random sampling reaches after n trials */
    run *runs;
    size_t count, next;
    pthread_mutex_t lock;
    at_error err;
    bool failed;
} field;

static int64_t trials_of(const settings *set, const atx_bench_space *s)
{
    return set->evals < s->search.total ? set->evals : s->search.total;
}

/* ---- random sampling, exactly ---- */

/*
 * The expected best after n draws without replacement, over the optimum, for n = 0 .. trials. The chance that
 * none of the k fastest is among n draws is the product over j < n of (N-k-j) / (N-j); failures count as the
 * slowest time.
 */
static double *expect_random(const atx_bench_space *s, int64_t trials)
{
    int64_t total = s->search.total, timed = s->sorted_count;
    double *expected = calloc((size_t)trials + 1, sizeof *expected);
    double *none = malloc((size_t)(timed + 1) * sizeof *none); /* none of the k fastest so far */
    if (!expected || !none) {
        free(expected);
        free(none);
        return NULL;
    }
    for (int64_t k = 0; k <= timed; k++)
        none[k] = 1;
    for (int64_t n = 0; n <= trials; n++) {
        double mean = none[timed] * s->sorted_s[timed - 1];
        for (int64_t k = 0; k < timed; k++)
            mean += (none[k] - none[k + 1]) * s->sorted_s[k];
        expected[n] = mean / s->sorted_s[0];
        for (int64_t k = 0; k <= timed; k++)
            none[k] *= n + k < total ? (double)(total - k - n) / (double)(total - n) : 0;
    }
    free(none);
    return expected;
}

/* ---- one run ---- */

static double cpu_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest trials of a run, by what they said. */
typedef struct leaders {
    struct leader {
        double said_s, true_s;
    } items[LEADERS];
    int count;
} leaders;

static void add_leader(leaders *l, double said_s, double true_s)
{
    int i = l->count < LEADERS ? l->count++ : LEADERS;
    while (i > 0 && l->items[i - 1].said_s > said_s) {
        if (i < LEADERS)
            l->items[i] = l->items[i - 1];
        i--;
    }
    if (i < LEADERS)
        l->items[i] = (struct leader){ said_s, true_s };
}

/* What a re-measurement of them would find: it has no noise. */
static double fastest_leader(const leaders *l)
{
    double best_s = l->items[0].true_s;
    for (int i = 1; i < l->count && l->items[i].said_s <= (1 + LEADERS_WITHIN) * l->items[0].said_s; i++)
        best_s = fmin(best_s, l->items[i].true_s);
    return best_s;
}

/*
 * Walks the space; curve[n] receives what would win after n trials, or after n compilations if these count.
 * Returns how many trials there were.
 */
static int64_t walk(double *curve, int64_t *compiled, const settings *set, const atx_bench_space *s,
                    const atx_strategy *strategy, void *state, const atx_search *search)
{
    int64_t pending[1024], first = 0, count = 0, done = 0, spent = 0, answer = 0;
    int64_t lag = set->lag, trials = search->max_trials;
    leaders best = { .count = 0 };
    curve[0] = s->sorted_s[s->sorted_count - 1];
    if (strategy->pace && set->pace >= 0)
        strategy->pace(state, (double)set->pace);
    while (spent < trials) {
        while (count < lag && spent + count < trials && (answer = strategy->propose(state)) >= 0)
            pending[(first + count++) % lag] = answer;
        if (count == 0)
            break;
        int64_t index = pending[first];
        const atx_finding *finding = &s->findings[index];
        atx_finding said = *finding;
        said.seconds *= atx_bench_noise(set->noise, search->seed, index);
        first = (first + 1) % lag;
        count--;
        ++*compiled;
        bool deferred = strategy->consider && finding->outcome != ATX_COMPILE_FAILED &&
                        !strategy->consider(state, index, &finding->resources);
        if (deferred && !set->count_compiled)
            continue;
        curve[spent + 1] = curve[spent];
        if (!deferred && finding->outcome == ATX_TIMED) {
            add_leader(&best, said.seconds, finding->seconds);
            curve[spent + 1] = fastest_leader(&best);
        }
        spent++;
        if (deferred)
            continue;
        done++;
        strategy->report(state, index, &said);
    }
    for (int64_t n = spent; n < trials; n++)
        curve[n + 1] = curve[n];
    return done;
}

static double area_of(const double *curve, const double *expected, double optimum, int64_t trials)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t n = AREA_FROM; n <= trials; n++)
        if (expected[n] > 1 + LEAST_LEFT) {
            sum += (expected[n] - curve[n] / optimum) / (expected[n] - 1);
            count++;
        }
    return count ? sum / (double)count : 0;
}

static at_status run_one(run *out, field *f, size_t space, const atx_strategy *strategy, uint64_t seed,
                         at_error *err)
{
    const atx_bench_space *s = &f->spaces->items[space];
    int64_t trials = trials_of(f->set, s);
    atx_search search = s->search;
    void *state = NULL;
    double *curve = malloc((size_t)(trials + 1) * sizeof *curve), optimum = s->sorted_s[0];
    if (!curve)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    search.seed = seed;
    search.max_trials = trials;
    search.slots = s->slots;
    search.ahead = (int)f->set->lag;
    search.worth = f->set->worth;
    search.hints = s->hints;
    search.hint_count = f->set->hints ? s->hint_count : 0;
    search.elsewhere = s->elsewhere;
    search.elsewhere_count = f->set->hints ? s->elsewhere_count : 0;
    double started_s = cpu_now_s();
    at_status status = strategy->open(&state, &search, err);
    if (status == AT_OK) {
        out->used = walk(curve, &out->compiled, f->set, s, strategy, state, &search);
        out->cpu_s = cpu_now_s() - started_s;
        out->area = area_of(curve, f->expected[space], optimum, trials);
        for (int i = 0; i < f->set->mark_count; i++) {
            int64_t mark = f->set->marks[i] < trials ? f->set->marks[i] : trials;
            out->at[i] = curve[mark] / optimum;
        }
        out->optimum = curve[trials] <= optimum;
        strategy->close(state);
    }
    free(curve);
    return status;
}

static void *work(void *context)
{
    field *f = context;
    size_t seeds = (size_t)f->set->seeds, spaces = f->spaces->count;
    for (;;) {
        at_error err = { 0 };
        pthread_mutex_lock(&f->lock);
        size_t i = f->failed ? f->count : f->next++;
        pthread_mutex_unlock(&f->lock);
        if (i >= f->count)
            return NULL;
        const atx_strategy *strategy = f->set->strategies[i / seeds / spaces];
        if (run_one(&f->runs[i], f, i / seeds % spaces, strategy, i % seeds + 1, &err) != AT_OK) {
            pthread_mutex_lock(&f->lock);
            f->failed = true;
            f->err = err;
            pthread_mutex_unlock(&f->lock);
        }
    }
}

static at_status run_all(field *f, at_error *err)
{
    const long threads = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t ids[64];
    int started = 0;
    pthread_mutex_init(&f->lock, NULL);
    while (started < threads && started < 64 && pthread_create(&ids[started], NULL, work, f) == 0)
        started++;
    if (!started)
        work(f);
    for (int i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&f->lock);
    return f->failed ? atx_fail(err, AT_ERR_MEMORY, "%s", f->err.text) : AT_OK;
}

/* ---- scores ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_at(const run *runs, int64_t count, int mark, double *room)
{
    for (int64_t i = 0; i < count; i++)
        room[i] = runs[i].at[mark];
    qsort(room, (size_t)count, sizeof *room, ascending);
    return (room[(count - 1) / 2] + room[count / 2]) / 2;
}

/* Of the runs of one strategy on one space. `room` holds as many doubles as there are runs. */
static score score_of(const run *runs, const settings *set, double *room)
{
    int64_t count = set->seeds;
    double each = 1.0 / (double)count, trials = 0, cpu_s = 0;
    score s = { 0 };
    for (int64_t i = 0; i < count; i++) {
        s.area += each * runs[i].area;
        s.optimum += each * runs[i].optimum;
        s.used += each * (double)runs[i].used;
        s.compiled += each * (double)runs[i].compiled;
        trials += (double)runs[i].used;
        cpu_s += runs[i].cpu_s;
        for (int m = 0; m < set->mark_count; m++) {
            s.within_1[m] += each * (runs[i].at[m] <= 1.01);
            s.within_5[m] += each * (runs[i].at[m] <= 1.05);
        }
    }
    for (int m = 0; m < set->mark_count; m++)
        s.at[m] = median_at(runs, count, m, room);
    s.us = trials > 0 ? 1e6 * cpu_s / trials : 0;
    return s;
}

static void add_score(score *sum, const score *s, double weight, int marks)
{
    sum->area += weight * s->area;
    sum->optimum += weight * s->optimum;
    sum->used += weight * s->used;
    sum->compiled += weight * s->compiled;
    sum->us += weight * s->us;
    for (int m = 0; m < marks; m++) {
        sum->at[m] += weight * s->at[m];
        sum->within_1[m] += weight * s->within_1[m];
        sum->within_5[m] += weight * s->within_5[m];
    }
}

static void print_head(const settings *set)
{
    int width = 7 * set->mark_count, narrow = 5 * set->mark_count;
    printf("%-44s %-26s %6s %*s %*s %*s %7s %6s %8s %6s\n", "", "", "area", width, "median, of the optimum",
           narrow, "within 1 %", narrow, "within 5 %", "optimum", "used", "compiled", "us");
    printf("%-44s %-26s %6s ", "space", "strategy", "");
    for (int m = 0; m < set->mark_count; m++)
        printf(" %6lld", (long long)set->marks[m]);
    for (int k = 0; k < 2; k++) {
        putchar(' ');
        for (int m = 0; m < set->mark_count; m++)
            printf(" %4lld", (long long)set->marks[m]);
    }
    putchar('\n');
}

static void print_score(const char *what, const char *strategy, const score *s, const settings *set)
{
    printf("%-44.44s %-26s %6.3f ", what, strategy, s->area);
    for (int m = 0; m < set->mark_count; m++)
        printf(" %6.3f", s->at[m]);
    putchar(' ');
    for (int m = 0; m < set->mark_count; m++)
        printf(" %3.0f%%", 100 * s->within_1[m]);
    putchar(' ');
    for (int m = 0; m < set->mark_count; m++)
        printf(" %3.0f%%", 100 * s->within_5[m]);
    printf(" %6.0f%% %6.1f %8.1f %6.0f\n", 100 * s->optimum, s->used, s->compiled, s->us);
}

/* The mean of a strategy's scores over the spaces of `kernel`, NULL: all. */
static void print_mean(const field *f, const score *scores, int strategy, const char *kernel)
{
    char what[300];
    score sum = { 0 };
    size_t count = 0, spaces = f->spaces->count;
    for (size_t i = 0; i < spaces; i++)
        count += !kernel || strcmp(f->spaces->items[i].kernel, kernel) == 0;
    for (size_t i = 0; i < spaces; i++)
        if (!kernel || strcmp(f->spaces->items[i].kernel, kernel) == 0)
            add_score(&sum, &scores[(size_t)strategy * spaces + i], 1.0 / (double)count, f->set->mark_count);
    snprintf(what, sizeof what, "mean of %zu%s%s", count, kernel ? " of " : "", kernel ? kernel : "");
    print_score(what, f->set->strategies[strategy]->name, &sum, f->set);
}

static bool first_of_kernel(const field *f, size_t space)
{
    for (size_t i = 0; i < space && f->spaces->items; i++)
        if (strcmp(f->spaces->items[i].kernel, f->spaces->items[space].kernel) == 0)
            return false;
    return true;
}

static at_status print_all(const field *f, bool brief, at_error *err)
{
    size_t spaces = f->spaces->count, seeds = (size_t)f->set->seeds;
    size_t strategies = (size_t)f->set->strategy_count;
    score *scores = malloc(spaces * strategies * sizeof *scores);
    double *room = malloc(seeds * sizeof *room);
    if (scores && room) {
        for (size_t i = 0; i < spaces * strategies; i++)
            scores[i] = score_of(&f->runs[i * seeds], f->set, room);
        print_head(f->set);
        for (size_t i = 0; i < spaces && !brief; i++)
            for (size_t k = 0; k < strategies; k++)
                print_score(f->spaces->items[i].name, f->set->strategies[k]->name, &scores[k * spaces + i],
                            f->set);
        for (size_t i = 0; i < spaces; i++)
            for (size_t k = 0; k < strategies && first_of_kernel(f, i); k++)
                print_mean(f, scores, (int)k, f->spaces->items[i].kernel);
        for (size_t k = 0; k < strategies; k++)
            print_mean(f, scores, (int)k, NULL);
    }
    at_status status = scores && room ? AT_OK : atx_fail(err, AT_ERR_MEMORY, "out of memory");
    free(scores);
    free(room);
    return status;
}

/* ---- the program ---- */

/* Those that were named, else those of the folder, whose names `found` owns. False: there are none. */
static bool find_files(atx_words *files, glob_t *found)
{
    static const char *const PATTERNS[] = { "*.db", "*.jsonl", "*.jsonl.gz" };
    const char *folder = getenv("AUTOTUNE_SPACES");
    char pattern[4096];
    for (int i = 0; i < 3 && !files->count && folder && folder[0]; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s", folder, PATTERNS[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, found);
    }
    for (size_t i = 0; i < found->gl_pathc && files->count < ATX_MAX_WORDS; i++)
        files->items[files->count++] = found->gl_pathv[i];
    return files->count > 0;
}

static at_status compare(const settings *set, const atx_bench_spaces *spaces, bool brief, at_error *err)
{
    field f = { .set = set, .spaces = spaces };
    at_status status = AT_OK;
    f.count = (size_t)set->strategy_count * spaces->count * (size_t)set->seeds;
    f.runs = calloc(f.count + 1, sizeof *f.runs);
    f.expected = calloc(spaces->count + 1, sizeof *f.expected);
    if (!f.runs || !f.expected)
        status = atx_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < spaces->count && f.expected && status == AT_OK; i++) {
        f.expected[i] = expect_random(&spaces->items[i], trials_of(set, &spaces->items[i]));
        if (!f.expected[i])
            status = atx_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    if (status == AT_OK)
        status = run_all(&f, err);
    if (status == AT_OK)
        status = print_all(&f, brief, err);
    for (size_t i = 0; i < spaces->count && f.expected; i++)
        free(f.expected[i]);
    free(f.expected);
    free(f.runs);
    return status;
}

static at_status take_strategies(settings *set, const atx_words *names, at_error *err)
{
    if (!names->count)
        for (const atx_strategy *const *s = atx_strategies; *s && set->strategy_count < MAX_STRATEGIES; s++)
            set->strategies[set->strategy_count++] = *s;
    for (int i = 0; i < names->count; i++) {
        const atx_strategy *s = atx_strategy_find(names->items[i]);
        if (!s)
            return atx_fail(err, AT_ERR_USAGE, "no strategy is called %s", names->items[i]);
        if (set->strategy_count == MAX_STRATEGIES)
            return atx_fail(err, AT_ERR_USAGE, "at most %d strategies", MAX_STRATEGIES);
        set->strategies[set->strategy_count++] = s;
    }
    return AT_OK;
}

static at_status take_marks(settings *set, const atx_words *words, at_error *err)
{
    static const int64_t USUAL[] = { 50, 100, 200, 400 };
    for (int i = 0; i < 4 && !words->count; i++)
        set->marks[set->mark_count++] = USUAL[i];
    for (int i = 0; i < words->count; i++) {
        set->marks[set->mark_count] = strtoll(words->items[i], NULL, 10);
        if (set->mark_count == MAX_MARKS || set->marks[set->mark_count] <= 0)
            return atx_fail(err, AT_ERR_USAGE, "--at: found '%s'; expected up to %d numbers of trials",
                            words->items[i], MAX_MARKS - 1);
        set->mark_count++;
    }
    return AT_OK;
}

static at_status check(const settings *set, at_error *err)
{
    if (set->seeds < 1 || set->evals < 1)
        return atx_fail(err, AT_ERR_USAGE, "--seeds and --evals: expected 1 or more");
    if (set->lag < 1 || set->lag > 1024)
        return atx_fail(err, AT_ERR_USAGE, "--lag: found %lld; expected 1 to 1024", (long long)set->lag);
    return AT_OK;
}

int main(int argc, char **argv)
{
    settings set = { .seeds = 30, .evals = 400, .lag = 1, .pace = -1 };
    atx_words files = { 0 }, names = { 0 }, marks = { 0 };
    atx_bench_spaces spaces = { 0 };
    const char *model_of = NULL, *tried = NULL;
    int64_t least = 2, per_mille = 0, plateau = 0, noise = 0;
    bool brief = false, help = false;
    at_error err = { 0 };
    glob_t found = { 0 };
    const atx_option TABLE[] = {
        { "--strategy", ATX_OPT_LIST, "NAME", "only these (default: all)", &names },
        { "--tried", ATX_OPT_TEXT, "FILE", "and what other tuners tried (tools/compare_search)", &tried },
        { "--seeds", ATX_OPT_COUNT, "N", "runs of each on each space (default 30)", &set.seeds },
        { "--evals", ATX_OPT_COUNT, "N", "trials of a run, at most (default 400)", &set.evals },
        { "--at", ATX_OPT_LIST, "N", "when to look (default 50,100,200,400)", &marks },
        { "--lag", ATX_OPT_COUNT, "N", "proposals under way before the first result (default 1)", &set.lag },
        { "--pace", ATX_OPT_COUNT, "N",
          "tell strategies that N proposals are compiled in the time that one is measured (default: nothing)",
          &set.pace },
        { "--worth", ATX_OPT_COUNT, "N",
          "stop when something better by 2 N per mille is unlikely (default 0: never)", &per_mille },
        { "--hints", ATX_OPT_FLAG, NULL,
          "begin with what won, and was tried, for the recording's other shapes", &set.hints },
        { "--model-of", ATX_OPT_TEXT, "DB", "with --hints: and with what the model beside DB expects",
          &model_of },
        { "--least", ATX_OPT_COUNT, "N", "pass over spaces with fewer timed configurations", &least },
        { "--plateau", ATX_OPT_COUNT, "N", "times within N % of the fastest become equal to it", &plateau },
        { "--noise", ATX_OPT_COUNT, "N", "trials have noise of N per mille, and some are disturbed", &noise },
        { "--count-compiled", ATX_OPT_FLAG, NULL, "what was compiled and then deferred counts as a trial",
          &set.count_compiled },
        { "--brief", ATX_OPT_FLAG, NULL, "only means", &brief },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    at_status status = atx_options_parse(TABLE, argc, argv, &files, &help, &err);
    if (status == AT_OK && help) {
        atx_str page = { 0 };
        atx_options_help(&page, &USAGE, TABLE, 110);
        fputs(atx_str_text(&page), stdout);
        atx_str_clear(&page);
        return 0;
    }
    set.worth = (double)per_mille / 1000;
    set.noise = (double)noise / 1000;
    if (status == AT_OK)
        status = take_strategies(&set, &names, &err);
    if (status == AT_OK && tried)
        status = atx_bench_tried_read(set.strategies, &set.strategy_count, MAX_STRATEGIES, tried, &err);
    if (status == AT_OK)
        status = take_marks(&set, &marks, &err);
    if (status == AT_OK)
        status = check(&set, &err);
    if (status == AT_OK)
        status = atx_bench_spaces_open(&spaces, NULL, &err);
    if (status == AT_OK && !find_files(&files, &found)) {
        puts("skipped: no recordings; name databases or dumps, or a folder of them in AUTOTUNE_SPACES");
        globfree(&found);
        atx_bench_spaces_close(&spaces);
        return 0;
    }
    spaces.model_of = model_of;
    for (int i = 0; i < files.count && status == AT_OK; i++)
        status = atx_bench_spaces_read(&spaces, files.items[i], least, &err);
    if (status == AT_OK && !spaces.count)
        status = atx_fail(&err, AT_ERR_INPUT, "the recordings hold no problem of a known operation");
    atx_bench_flatten(&spaces, (double)plateau / 100);
    if (status == AT_OK)
        status = compare(&set, &spaces, brief, &err);
    globfree(&found);
    atx_bench_spaces_close(&spaces);
    atx_bench_tried_clear();
    if (status != AT_OK)
        fprintf(stderr, "bench_search: %s\n", err.text);
    return status == AT_OK ? 0 : 1;
}
