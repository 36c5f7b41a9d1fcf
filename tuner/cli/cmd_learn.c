/* cmd_learn.c - `autotune learn`: trains a model on all trials, for problems that were not tuned. */
#include "cli/commands.h"
#include "db/store.h"
#include "lookup/learned.h"
#include "model/forest.h"
#include "model/model.h"
#include "util/clock.h"
#include "util/out_file.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_STORES 16

static const atx_usage USAGE = {
    "autotune learn [MORE.db ...] [options]",
    "Trains a model on all trials of the database and of MORE.db. Look-ups (query, the library) then predict "
    "the fastest configuration for problems that were not tuned. The model is the file FILE-model beside the "
    "database, and extends the shipped model. Needs no GPU. Delete the file to remove the model.",
};

typedef struct learn_args {
    const char *db, *output, *templates_dir;
    atx_words more;
    atx_folder_words folders;
    bool alone, whole;
    int64_t leaves;
} learn_args;

/* The output is none of the files that are read and can be written: known before it takes long. */
static at_status check_output(const learn_args *a, const char *path, const char *output, at_error *err)
{
    atx_in_use uses[MOST_STORES + 1] = { { "the database", path, true } };
    int count = 1;
    for (int i = 0; i < a->more.count && count < MOST_STORES; i++)
        uses[count++] = (atx_in_use){ "a database", a->more.items[i], true };
    /* FILE-model belongs to the database, and is where it goes. */
    ATX_TRY(a->output ? atx_check_output("-o", output, uses, a->templates_dir, err) : AT_OK);
    return atx_out_check(output, err);
}

static at_status open_stores(atx_store **stores, int *count, const learn_args *a, const char *path,
                             at_error *err)
{
    const atx_words *more = &a->more;
    at_status status = atx_store_open(&stores[(*count)++], path, ATX_STORE_READ, err);
    for (int i = 0; i < more->count && status == AT_OK; i++)
        status = *count < MOST_STORES
                     ? atx_store_open(&stores[(*count)++], more->items[i], ATX_STORE_READ, err)
                     : atx_fail(err, AT_ERR_USAGE, "found %d databases; expected at most %d", more->count + 1,
                                MOST_STORES);
    return status;
}

static at_status learn(const atx_catalog *catalog, const char *path, const learn_args *a, const char *output,
                       at_error *err)
{
    atx_store *stores[MOST_STORES] = { NULL };
    atx_model *before = NULL, *model = NULL;
    atx_training_samples training_samples;
    int count = 0;
    double began_s = atx_now_s();
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_status status = open_stores(stores, &count, a, path, err);
    ATX_THEN(status, check_output(a, path, output, err));
    if (status == AT_OK && !a->alone && atx_shipped_wanted(false))
        status = atx_model_shipped(&before, NULL, NULL, err);
    ATX_THEN(status,
             atx_model_learn(&model, catalog, &(atx_training_data){ stores, count, before, (int)a->leaves },
                             &cancel, err));
    if (status == AT_OK && model && (a->alone || a->whole || count > 1))
        atx_model_keep(model);
    if (status == AT_OK && !model)
        status = atx_fail(
            err, AT_ERR_NOT_FOUND,
            "%s: found too few trials to learn from; expected at least 100 of one operation, of at least 8 "
            "problems: tune more problems",
            path);
    ATX_THEN(status, atx_model_write_with(model, a->whole ? before : NULL, output, err));
    for (int i = 0; status == AT_OK && atx_model_of_op(&training_samples, model, i); i++)
        atx_print(stdout,
                  "%s on %s: %" PRId64 " trials of %" PRId64 " problems, %" PRId64
                  " configurations to choose from, %" PRId64
                  " trees; answers for problems that were left out lose %.1f %% "
                  "in the mean, %s %.1f %%\n",
                  training_samples.op, training_samples.device, training_samples.trials,
                  training_samples.problems, training_samples.candidates, training_samples.trees,
                  100 * training_samples.expected_loss, atx_most_of(training_samples.problems),
                  100 * training_samples.most_loss);
    if (status == AT_OK)
        atx_print(stdout, "%s, in %.1f s\n", output, atx_now_s() - began_s);
    atx_model_close(model);
    atx_model_close(before);
    for (int i = 0; i < count; i++)
        atx_store_close(stores[i]);
    return status;
}

int atx_cmd_learn(int argc, char **argv)
{
    learn_args a = { .leaves = ATX_MAX_LEAVES };
    const char *path = NULL, *output = NULL;
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    ATX_LOCAL(atx_str) keep = { 0 }, beside = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        ATX_DB_OPTION(&a.db),
        { "--output", ATX_OPT_TEXT, "FILE", "file of the model (default: the database's name with -model)",
          &a.output },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--no-shipped", ATX_OPT_FLAG, NULL, "train from the database alone, without the shipped model",
          &a.alone },
        { "--whole", ATX_OPT_FLAG, NULL,
          "also write what the shipped model knows of other operations and devices: a file for other "
          "programs",
          &a.whole },
        { "--leaves", ATX_OPT_COUNT, "N",
          "most leaves of a tree, 2 to 64 (default 64): fewer make a smaller file", &a.leaves },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.more, &code))
        return code;
    at_status status = AT_OK;
    if (a.whole && (a.alone || !atx_shipped_wanted(false)))
        status =
            atx_fail(&err, AT_ERR_USAGE, "--whole: %s leaves the shipped model out; expected it to be used",
                     a.alone ? "--no-shipped" : "$AUTOTUNE_NO_SHIPPED");
    if (status == AT_OK && (a.leaves < 2 || a.leaves > ATX_MAX_LEAVES))
        status = atx_fail(&err, AT_ERR_USAGE, "--leaves: found %" PRId64 "; expected 2 to %d", a.leaves,
                          ATX_MAX_LEAVES);
    ATX_THEN(status, atx_open_catalog(&catalog, a.templates_dir, NULL, &err));
    ATX_THEN(status, atx_db_to_read(&path, a.db, &keep, &err));
    ATX_THEN(status, atx_learned_path(&beside, path, &err));
    output = a.output ? a.output : atx_str_text(&beside);
    ATX_THEN(status, learn(catalog, path, &a, output, &err));
    if (status != AT_OK)
        code = atx_complain(&err);
    return code;
}
