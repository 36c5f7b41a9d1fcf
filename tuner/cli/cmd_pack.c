/* cmd_pack.c - `autotune pack`: few kernels for every size, as C source. */
#include "cli/commands.h"
#include "lookup/lookup.h"
#include "lang/arch.h"
#include "pack/pack.h"
#include "pack/pack_tune.h"
#include "cli/process.h"
#include "util/out_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const atx_usage USAGE = {
    "autotune pack OP [DTYPE] --sizes 'NAME=FIRST..LAST ...' [options]\n       "
    "autotune pack OP [DTYPE] --shapes FILE [options]",
    "Writes a pack: few kernels of an operation that together serve every size of these ranges, chosen by a "
    "few comparisons at run time. NAME.c and NAME.h are C source with one function that launches; they need "
    "the CUDA driver alone, and compile nothing at run time. NAME.json describes the pack: its kernels, and "
    "how much slower than the best known configuration it is expected to be on sizes that were not used to "
    "choose. What is expected comes from the model of all trials (see autotune learn), which needs no GPU; "
    "--tune measures it.",
};

typedef struct pack_args {
    const char *db, *templates_dir, *folder, *name, *within, *shapes;
    const char *tries;
    atx_words words, sizes, devices, archs, gpus;
    atx_folder_words folders;
    bool source;
    int64_t kernels, problems, seed, trials;
    double tune_s;
} pack_args;

enum { MOST_RANGES = 256, UNKNOWN_CC = 90 }; /* of the device, where neither the user nor a model names one */

/* The words of --sizes: between blanks as well as commas. */
typedef struct ranges {
    char *texts[ATX_MAX_WORDS];
    const char *words[MOST_RANGES];
    int text_count, count;
} ranges;

static at_status split_ranges(ranges *out, const atx_words *sizes, at_error *err)
{
    for (int i = 0; i < sizes->count; i++) {
        char *text = atx_text_copy(sizes->items[i], strlen(sizes->items[i]));
        if (!text)
            return atx_no_memory(err);
        out->texts[out->text_count++] = text;
        char *rest = NULL;
        for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
            if (out->count == MOST_RANGES)
                return atx_fail(err, AT_ERR_USAGE, "--sizes: found more than %d ranges; expected fewer",
                                MOST_RANGES);
            out->words[out->count++] = word;
        }
    }
    return AT_OK;
}

static void clear_ranges(ranges *r)
{
    for (int i = 0; i < r->text_count; i++)
        free(r->texts[i]);
}

static at_status read_list(atx_pack_domain *out, const char *file, const atx_catalog *catalog,
                           const atx_op *op, atx_dtype type, at_error *err)
{
    ATX_LOCAL(atx_shapes) shapes = { 0 };
    ATX_TRY(
        atx_shapes_read(&shapes, file, catalog, &(atx_shape_defaults){ .op = op->name, .type = &type }, err));
    return atx_pack_domain_list(out, op, type, &shapes, file, err);
}

static at_status read_domain(atx_pack_domain *out, const pack_args *a, const atx_catalog *catalog,
                             const atx_op *op, atx_dtype type, at_error *err)
{
    ranges r = { .count = 0 };
    if (a->shapes && a->sizes.count)
        return atx_fail(err, AT_ERR_USAGE, "found both --shapes and --sizes; expected one of them");
    if (a->shapes)
        return read_list(out, a->shapes, catalog, op, type, err);
    at_status status = split_ranges(&r, &a->sizes, err);
    ATX_THEN(status, atx_pack_domain_read(out, op, type, r.words, r.count, err));
    clear_ranges(&r);
    return status;
}

/* "3%", "0.03" */
static at_status read_within(double *out, const char *text, at_error *err)
{
    char *end = NULL;
    *out = 0;
    if (!text)
        return AT_OK;
    *out = strtod(text, &end);
    if (*end == '%') {
        *out /= 100;
        end++;
    }
    return end != text && !*end && *out > 0 && *out < 10
               ? AT_OK
               : atx_fail(err, AT_ERR_USAGE,
                          "--within: found '%s'; expected a mean loss, such as 3%% or 0.03", text);
}

static at_status read_op(const atx_op **op, atx_dtype *type, const pack_args *a, const atx_catalog *catalog,
                         at_error *err)
{
    if (a->words.count < 1 || a->words.count > 2)
        return atx_fail(err, AT_ERR_USAGE,
                        "found %d words; expected an operation and, if it is not f32, a type",
                        a->words.count);
    *op = atx_catalog_find_op(catalog, a->words.items[0]);
    if (!*op)
        return atx_unknown_op(catalog, "", a->words.items[0], err);
    for (*type = 0; !((*op)->types >> *type & 1);)
        ++*type;
    *type = (*op)->types >> ATX_F32 & 1 ? ATX_F32 : *type;
    ATX_TRY(a->words.count > 1 ? atx_dtype_parse(type, a->words.items[1], strlen(a->words.items[1]), err)
                               : AT_OK);
    if (!((*op)->types >> *type & 1))
        return atx_fail(err, AT_ERR_USAGE, "found the type %s; %s has none of that name",
                        atx_dtype_name(*type), (*op)->name);
    return AT_OK;
}

/* The user's model, or that which comes with the program: one of the device goes before one of another. None
 * may know the operation. */
typedef struct models {
    atx_model *users, *shipped;
    atx_predictor *predictor;
    /* Winners, of an operation that no model knows. */
    atx_store *store;
    atx_lookup *winners;
} models;

static at_status open_models(models *out, const atx_catalog *catalog, const atx_op *op, const char *db,
                             const atx_target *target, at_error *err)
{
    const atx_gpu_model device = { .name = target->name, .cc = target->cc, .sms = target->sms };
    ATX_LOCAL(atx_str) path = { 0 };
    at_error cause = { 0 };
    bool own = false;
    atx_str_addf(&path, "%s%s", db ? db : "", ATX_MODEL_SUFFIX);
    at_status status = atx_str_status(&path, err);
    if (status == AT_OK && db && atx_model_read(&out->users, atx_str_text(&path), &cause) != AT_OK &&
        cause.status != AT_ERR_NOT_FOUND)
        atx_warn(cause.text);
    if (status == AT_OK && out->users)
        (void)(atx_predictor_open(&out->predictor, out->users, catalog, op, &device, &own, &cause) == AT_OK);
    if (status != AT_OK || (out->predictor && own))
        return status;
    status = atx_model_shipped(&out->shipped, op, &device, err);
    if (status == AT_OK && out->shipped && !out->predictor)
        (void)(atx_predictor_open(&out->predictor, out->shipped, catalog, op, &device, &own, &cause) ==
               AT_OK);
    return status;
}

/* A database that is not there has none. */
static at_status open_winners(models *out, const atx_catalog *catalog, const char *db, at_error *err)
{
    at_error cause = { 0 };
    if (db && atx_store_open(&out->store, db, ATX_STORE_READ, &cause) != AT_OK &&
        cause.status != AT_ERR_NOT_FOUND)
        atx_warn(cause.text);
    at_status status = atx_lookup_open(&out->winners, out->store, catalog, err);
    if (status == AT_OK)
        atx_lookup_add_shipped(out->winners);
    return status;
}

static void close_models(models *m)
{
    atx_lookup_close(m->winners);
    atx_store_close(m->store);
    atx_predictor_close(m->predictor);
    atx_model_close(m->users);
    atx_model_close(m->shipped);
}

static at_status check_name(char out[64], const pack_args *a, const atx_op *op, atx_dtype type, at_error *err)
{
    if (a->name)
        snprintf(out, 64, "%.63s", a->name);
    else
        snprintf(out, 64, "%.40s_%s", op->name, atx_dtype_name(type));
    bool good = isalpha((unsigned char)out[0]) || out[0] == '_';
    for (const char *at = out; *at; at++)
        good = good && (isalnum((unsigned char)*at) || *at == '_');
    return good ? AT_OK
                : atx_fail(err, AT_ERR_USAGE, "--name: found '%s'; expected the name of a C function", out);
}

static at_status write_file(const char *folder, const char *name, const char *suffix, const atx_str *text,
                            at_error *err)
{
    ATX_LOCAL(atx_str) path = { 0 };
    atx_str_addf(&path, "%s/%s%s", folder, name, suffix);
    ATX_TRY(atx_str_status(&path, err));
    ATX_TRY(atx_out_write_all(path.data, atx_str_text(text), text->len, err));
    atx_print(stdout, "%s\n", path.data);
    return AT_OK;
}

static at_status write_pack(const pack_args *a, atx_pack *const *packs, int count, const char *name,
                            const char *command, at_error *err)
{
    ATX_FREED atx_pack_compiled *compiled = calloc(ATX_PACK_MAX_MODELS, sizeof *compiled);
    ATX_LOCAL(atx_pack_files) files = { 0 };
    at_status status = compiled ? AT_OK : atx_no_memory(err);
    for (int m = 0; m < count && status == AT_OK; m++)
        status = (a->source ? atx_pack_take_sources : atx_pack_compile)(&compiled[m], packs[m], err);
    ATX_THEN(status, atx_pack_write(&files, compiled, count, name, command, err));
    if (status == AT_OK && mkdir(a->folder, 0777) != 0 && errno != EEXIST)
        status = atx_fail(err, AT_ERR_SYSTEM, "%s: %s", a->folder, strerror(errno));
    ATX_THEN(status, write_file(a->folder, name, ".h", &files.header, err));
    ATX_THEN(status, write_file(a->folder, name, a->source ? ".cu" : ".c", &files.source, err));
    ATX_THEN(status, write_file(a->folder, name, ".json", &files.description, err));
    if (status == AT_OK && files.test.len)
        status = write_file(a->folder, name, "_test.c", &files.test, err);
    for (int m = 0; compiled && m < count; m++)
        atx_pack_compiled_clear(&compiled[m]);
    return status;
}

static void print_loss(const char *what, const atx_pack_loss *loss)
{
    if (!loss->problems) {
        atx_print(stdout, "  %-22s none: fewer than 8 problems are listed; --try FILE names others\n", what);
        return;
    }
    if (loss->measured)
        atx_print(stdout, "  %-22s measured on %d of %d:\n", what, loss->measured, loss->problems);
    what = loss->measured ? "" : what;
    atx_print(stdout, "  %-22s mean %.1f %%, median %.1f %%, 95 of 100 within %.1f %%, worst %.1f %%", what,
              100 * loss->mean, 100 * loss->median, 100 * loss->p95, 100 * loss->worst);
    if (loss->unanswered)
        atx_print(stdout, "; %d of %d have no kernel", loss->unanswered, loss->problems);
    atx_print(stdout, "\n");
}

static void print_pack(const atx_pack *pack)
{
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, pack->limits.cc, 0);
    atx_print(stdout, "%s %s for %s%s%s: %d kernels of %d, %s\n", pack->domain.op->name,
              atx_dtype_name(pack->domain.type), pack->device, pack->device[0] ? ", " : "other GPUs of ",
              arch, pack->code_count, pack->candidates,
              pack->unknown ? "what was tuned for sizes near to these, else declared defaults: no model "
                              "knows the operation, and --tune did not measure it"
                            : "loss expected against the best known:");
    if (pack->unknown)
        return;
    print_loss("sizes held out", &pack->held_out);
    print_loss("sizes chosen by", &pack->chosen);
    if (!pack->held_out.problems)
        return;
    atx_print(stdout, "  with fewer kernels    ");
    for (int n = 1; n <= pack->code_count; n *= 2)
        atx_print(stdout, "%s %d: %.1f %%", n > 1 ? "," : "", n, 100 * pack->packs[n - 1].mean);
    atx_print(stdout, " (mean, of a pack of so many)\n");
}

static void add_command(atx_str *out, int argc, char **argv)
{
    atx_str_add(out, "autotune");
    for (int i = 0; i < argc; i++) {
        atx_str_add(out, " ");
        atx_str_add_word(out, argv[i]);
    }
}

/* The inputs of the packs for all models of GPU. */
typedef struct making {
    const pack_args *args;
    const atx_catalog *catalog;
    const atx_op *op;
    const char *db; /* NULL: none */
    atx_pack_domain domain;
    double within;
    atx_target targets[ATX_PACK_MAX_MODELS]; /* the name of one of an architecture is empty */
    int64_t archs[ATX_PACK_MAX_MODELS];      /* compute capability to compile for; 0: the target's */
    int count;
    atx_pack *packs[ATX_PACK_MAX_MODELS];
    const char *command;
    atx_pack_domain tries; /* --try */
    /* Of --tune. */
    atx_tune_options options;
    atx_str cache;
    atx_pack_tuner *tuner;
} making;

/* The devices that measure, and the model of GPU that the pack is for: theirs. */
static at_status open_tuner(making *m, at_error *err)
{
    const pack_args *a = m->args;
    atx_target target = { .cc = 0 };
    if (!m->db)
        return atx_fail(err, AT_ERR_USAGE, "--tune stores what it measures; expected a database (--db)");
    if (a->devices.count || a->archs.count)
        return atx_fail(err, AT_ERR_USAGE,
                        "found --device or --arch beside --tune, which chooses for the GPUs that measure; "
                        "expected --gpus");
    m->options = (atx_tune_options){ .devices = a->gpus.items,
                                     .device_count = a->gpus.count,
                                     .no_copies = true, /* as many trials as the search has */
                                     .max_trials = a->trials,
                                     .seed = (uint64_t)a->seed,
                                     .db_path = m->db,
                                     .command = m->command,
                                     .cancel = &atx_cancel_requested };
    at_status status = atx_store_cache_path(&m->cache, err);
    ATX_THEN(status, atx_store_cubin_limit(&m->options.cache_bytes, NULL, err));
    m->options.cache_path = m->cache.len ? atx_str_text(&m->cache) : NULL;
    atx_process_take_time();
    ATX_THEN(status, atx_pack_tuner_open(&m->tuner, m->catalog, &m->options, a->tune_s, err));
    if (status != AT_OK)
        return status;
    const atx_device_info *info = atx_pack_tuner_device(m->tuner);
    snprintf(target.name, sizeof target.name, "%s", info->name);
    target.cc = info->limits.cc;
    target.sms = info->limits.sms;
    m->targets[0] = target;
    m->count = 1;
    return AT_OK;
}

static at_status add_target(making *m, const atx_target *target, int64_t arch, at_error *err)
{
    if (m->count == ATX_PACK_MAX_MODELS)
        return atx_fail(err, AT_ERR_USAGE, "found more than %d devices and architectures; expected fewer",
                        ATX_PACK_MAX_MODELS);
    const atx_gpu_model *row = atx_gpu_model_find(target->name);
    m->targets[m->count] = *target;
    if (!target->cc && row) { /* the name is one that results have */
        m->targets[m->count].cc = row->cc;
        m->targets[m->count].sms = row->sms;
    }
    m->archs[m->count++] = arch;
    return AT_OK;
}

static bool has_arch(const making *m, int64_t cc)
{
    for (int i = 0; i < m->count; i++)
        if ((m->archs[i] ? m->archs[i] : m->targets[i].cc) == cc)
            return true;
    return false;
}

/* Each device; for the architectures that no device has, the choice of the first device's model. */
static at_status choose_targets(making *m, at_error *err)
{
    const pack_args *a = m->args;
    at_status status = AT_OK;
    atx_target target = { .cc = 0 };
    for (int i = 0; i < a->devices.count && status == AT_OK; i++) {
        status = atx_device_option(&target, a->devices.items[i], NULL, true, err);
        ATX_THEN(status, add_target(m, &target, 0, err));
    }
    target = m->count ? m->targets[0] : (atx_target){ .cc = 0 };
    for (int i = 0; i < a->archs.count && status == AT_OK; i++) {
        atx_limits limits;
        status = atx_arch_option(&limits, NULL, "--arch", a->archs.items[i], err);
        if (status == AT_OK && !has_arch(m, limits.cc))
            status = add_target(m, &target, limits.cc, err);
    }
    return status == AT_OK && !m->count ? add_target(m, &target, 0, err) : status;
}

static at_status make_one(making *m, int i, at_error *err)
{
    atx_limits limits;
    const atx_target *target = &m->targets[i];
    models known = { .predictor = NULL };
    at_status status = open_models(&known, m->catalog, m->op, m->db, target, err);
    if (status == AT_OK && !known.predictor)
        status = open_winners(&known, m->catalog, m->db, err);
    if (status == AT_OK) {
        const atx_training_samples learned = known.predictor
                                                 ? atx_predictor_training_samples(known.predictor)
                                                 : (atx_training_samples){ .device = "", .cc = UNKNOWN_CC };
        const char *name = target->name[0] ? target->name : learned.device;
        atx_arch_limits(&limits, m->archs[i] ? m->archs[i] : target->cc ? target->cc : learned.cc);
        if (!m->archs[i])
            limits.sms = target->sms ? target->sms : learned.sms;
        if (m->tuner)
            limits = atx_pack_tuner_device(m->tuner)->limits;
        const atx_pack_request request = { .domain = &m->domain,
                                           .catalog = m->catalog,
                                           .predictor = known.predictor,
                                           .winners = known.winners,
                                           .target = target,
                                           .limits = &limits,
                                           .device = m->archs[i] ? "" : name,
                                           .kernels = (int)m->args->kernels,
                                           .within = m->within,
                                           .problems = (int)m->args->problems,
                                           .seed = (uint64_t)m->args->seed,
                                           .tuner = m->tuner,
                                           .tries = m->args->tries ? &m->tries : NULL };
        status = atx_pack_make(&m->packs[i], &request, err);
    }
    close_models(&known);
    return status;
}

static at_status make_all(making *m, const char *name, const char *command, at_error *err)
{
    at_status status = m->args->tune_s > 0 ? open_tuner(m, err) : choose_targets(m, err);
    for (int i = 0; i < m->count && status == AT_OK; i++)
        status = make_one(m, i, err);
    ATX_THEN(status, write_pack(m->args, m->packs, m->count, name, command, err));
    for (int i = 0; i < m->count; i++) {
        if (status == AT_OK)
            print_pack(m->packs[i]);
        atx_pack_close(m->packs[i]);
    }
    return status;
}

static at_status make(const pack_args *a, const atx_catalog *catalog, const char *command, at_error *err)
{
    making m = { .args = a, .catalog = catalog, .command = command };
    atx_dtype type = ATX_F32;
    char name[64];
    ATX_LOCAL(atx_str) keep = { 0 };
    at_status status = read_op(&m.op, &type, a, catalog, err);
    ATX_THEN(status, read_within(&m.within, a->within, err));
    ATX_THEN(status, check_name(name, a, m.op, type, err));
    ATX_THEN(status, read_domain(&m.domain, a, catalog, m.op, type, err));
    if (status == AT_OK && a->tries)
        status = read_list(&m.tries, a->tries, catalog, m.op, type, err);
    if (status == AT_OK && atx_db_path(&m.db, a->db, &keep, NULL) != AT_OK)
        m.db = NULL;
    ATX_THEN(status, make_all(&m, name, command, err));
    atx_pack_tuner_close(m.tuner);
    atx_pack_domain_clear(&m.domain);
    atx_pack_domain_clear(&m.tries);
    atx_str_clear(&m.cache);
    return status;
}

int atx_cmd_pack(int argc, char **argv)
{
    pack_args a = { .folder = ".", .kernels = 8, .problems = 1000, .seed = 1, .trials = 40 };
    int code = ATX_EXIT_OK, broken = 0;
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    ATX_LOCAL(atx_str) command = { 0 };
    at_error err = { 0 };
    const atx_option TABLE[] = {
        { "--sizes", ATX_OPT_LIST, "RANGES", "each size: ranges and numbers, 'rows=1..65536 cols=512,4096'",
          &a.sizes },
        { "--shapes", ATX_OPT_TEXT, "FILE",
          "problems in place of ranges, one a line, with calls=N each as often as a program asks for it",
          &a.shapes },
        { "--kernels", ATX_OPT_COUNT, "K", "kernels at most, up to 32 (default 8)", &a.kernels },
        { "--within", ATX_OPT_TEXT, "LOSS", "no more kernels than a mean loss of LOSS needs, for example 3%",
          &a.within },
        { "--source", ATX_OPT_FLAG, NULL, "NAME.cu for nvcc in the place of NAME.c with compiled kernels",
          &a.source },
        { "--output", ATX_OPT_TEXT, "DIR", "folder to write into (default: this one)", &a.folder },
        { "--name", ATX_OPT_TEXT, "NAME", "name of the files and the function (default OP_DTYPE)", &a.name },
        { "--problems", ATX_OPT_COUNT, "N", "problems to choose by, and as many to try on (default 1000)",
          &a.problems },
        { "--try", ATX_OPT_TEXT, "FILE", "problems to try the pack on, one a line, in place of drawn ones",
          &a.tries },
        { "--tune", ATX_OPT_SECONDS, "TIME",
          "measure kernels for so long, on this machine's GPUs, instead of relying on the model: 90s, 10m",
          &a.tune_s },
        { "--gpus", ATX_OPT_LIST, "N,...", "those that measure (default: all of the first one's model)",
          &a.gpus },
        { "--trials", ATX_OPT_COUNT, "N", "of the search for each problem's own best kernel (default 40)",
          &a.trials },
        { "--seed", ATX_OPT_COUNT, "N", "of the problems that are drawn (default 1)", &a.seed },
        { "--device", ATX_OPT_LIST, "N|NAME,...", "models of GPU, each with kernels and a choice of its own",
          &a.devices },
        { "--arch", ATX_OPT_LIST, "ARCH,...",
          "architectures of other GPUs, sm_90,sm_100, for which the first device's model chooses", &a.archs },
        ATX_DB_OPTION(&a.db),
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    add_command(&command, argc, argv);
    at_status status = atx_open_catalog(&catalog, a.templates_dir, &broken, &err);
    if (status == AT_OK && (a.problems < 8 || a.problems > 4096 || a.kernels < 1 || a.kernels > 32))
        status = atx_fail(&err, AT_ERR_USAGE, "expected --problems of 8 to 4096 and --kernels of 1 to 32");
    ATX_THEN(status, make(&a, catalog, atx_str_text(&command), &err));
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}
