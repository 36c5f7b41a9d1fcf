/* cmd_learn.c - `autotune learn`: a model of what was measured, for problems that were never tuned. */
#include "cli/commands.h"
#include "cli/learned.h"
#include "db/store.h"
#include "model/model.h"
#include "util/clock.h"
#include "util/out_file.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_STORES 16

static const at__usage USAGE = {
    "autotune learn [MORE.db ...] [options]",
    "Learns from all trials of the database, and of MORE.db, which configurations are fast for which "
    "problems. Look-ups (query, the library) then name the expected best for a problem that was never tuned. "
    "The model goes beside the database, as FILE-model; it begins with what autotune knows already. Needs no "
    "GPU. Delete the file to forget it.",
};

typedef struct learn_args {
    const char *db, *output, *templates_dir;
    at__words more;
    at__folder_words folders;
    bool alone;
} learn_args;

/* Of what it reads the output is none, and it can be written: that is known before it takes long. */
static at_status check_output(const learn_args *a, const char *path, const char *output, at_error *err)
{
    at__in_use uses[MOST_STORES + 1] = { { "the database", path, true } };
    int count = 1;
    for (int i = 0; i < a->more.count && count < MOST_STORES; i++)
        uses[count++] = (at__in_use){ "a database", a->more.items[i], true };
    /* FILE-model belongs to the database, and is where it goes. */
    at_status status = a->output ? at__check_output("-o", output, uses, a->templates_dir, err) : AT_OK;
    return status == AT_OK ? at__out_check(output, err) : status;
}

static at_status open_stores(at__store **stores, int *count, const learn_args *a, const char *path,
                             at_error *err)
{
    const at__words *more = &a->more;
    at_status status = at__store_open(&stores[(*count)++], path, AT__STORE_READ, err);
    for (int i = 0; i < more->count && status == AT_OK; i++)
        status = *count < MOST_STORES
                     ? at__store_open(&stores[(*count)++], more->items[i], AT__STORE_READ, err)
                     : at_fail(err, AT_ERR_USAGE, "found %d databases; expected at most %d", more->count + 1,
                               MOST_STORES);
    return status;
}

static at_status learn(const at__catalog *catalog, const char *path, const learn_args *a, const char *output,
                       at_error *err)
{
    at__store *stores[MOST_STORES] = { NULL };
    at__model *before = NULL, *model = NULL;
    at__lessons lessons;
    int count = 0;
    double began_s = at__now_s();
    at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = open_stores(stores, &count, a, path, err);
    if (status == AT_OK)
        status = check_output(a, path, output, err);
    if (status == AT_OK && !a->alone && at__shipped_wanted())
        status = at__model_shipped(&before, NULL, NULL, err);
    if (status == AT_OK)
        status = at__model_learn(&model, catalog, stores, count, before, &cancel, err);
    if (status == AT_OK && model && (a->alone || count > 1))
        at__model_keep(model);
    if (status == AT_OK && !model)
        status = at_fail(err, AT_ERR_NOT_FOUND,
                         "%s: found too few trials to learn from; expected 100 or more of an operation, of 8 "
                         "problems or more: tune more of them",
                         path);
    if (status == AT_OK)
        status = at__model_write(model, output, err);
    for (int i = 0; status == AT_OK && at__model_part(&lessons, model, i); i++)
        at__print(stdout,
                  "%s on %s: %" PRId64 " trials of %" PRId64 " problems, %" PRId64
                  " configurations to choose from, %" PRId64
                  " trees; answers for problems that were left out lose %.1f %% "
                  "in the mean\n",
                  lessons.op, lessons.device, lessons.trials, lessons.problems, lessons.candidates,
                  lessons.trees, 100 * lessons.doubt);
    if (status == AT_OK)
        at__print(stdout, "%s, in %.1f s\n", output, at__now_s() - began_s);
    at__model_close(model);
    at__model_close(before);
    for (int i = 0; i < count; i++)
        at__store_close(stores[i]);
    return status;
}

int at__cmd_learn(int argc, char **argv)
{
    learn_args a = { .alone = false };
    const char *path = NULL, *output = NULL;
    at__catalog *catalog = NULL;
    at__str keep = { 0 }, beside = { 0 };
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        AT__DB_OPTION(&a.db),
        { "-o", AT__OPT_TEXT, "FILE", "where the model goes (default: the database's name and -model)",
          &a.output },
        { "--output", AT__OPT_TEXT, "FILE", "the same", &a.output },
        AT__TEMPLATES_OPTION(&a.templates_dir),
        AT__FOLDER_OPTIONS(&a.folders),
        { "--no-shipped", AT__OPT_FLAG, NULL,
          "begin with nothing, not with the model that comes with autotune", &a.alone },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.more, &code))
        return code;
    at_status status = at__open_catalog(&catalog, a.templates_dir, NULL, &err);
    if (status == AT_OK)
        status = at__db_path(&path, a.db, &keep, &err);
    if (status == AT_OK)
        status = at__learned_path(&beside, path, &err);
    output = a.output ? a.output : at__str_text(&beside);
    if (status == AT_OK)
        status = learn(catalog, path, &a, output, &err);
    if (status != AT_OK)
        code = at__complain(&err);
    at__catalog_close(catalog);
    at__str_clear(&beside);
    at__str_clear(&keep);
    return code;
}
