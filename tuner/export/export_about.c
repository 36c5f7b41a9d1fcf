/*
 * export_about.c - the comment at the head of an exported file: the kernel and its origin. A time is given
 * only if it was measured for this very problem; otherwise the comment names the result that the
 * configuration comes from, and the time that a model predicts.
 */
#include "export/export_internal.h"

#include "lang/arch.h"
#include "util/clock.h"
#include "util/str.h"

#include <stdio.h>
#include <string.h>

enum { WIDEST = 100, LABEL = 18 }; /* columns; those before a line's text */

/* In a comment of one line: nothing in the text can end either, nor command a terminal that shows the file.
 */
static void add_bytes(atx_str *out, const char *text, size_t len)
{
    atx_str line = { 0 };
    atx_str_add_bytes(&line, text, len);
    for (char *c = line.data; c && *c; c++)
        *c = strchr("\n\r\t\\?", *c) ? ' ' : *c;
    atx_str_add_printable(out, atx_str_text(&line));
    out->failed |= line.failed;
    atx_str_clear(&line);
}

void atx_export_comment(atx_str *out, const char *label, const char *text)
{
    atx_str_addf(out, "// %-14s ", label);
    add_bytes(out, text, strlen(text));
    atx_str_add(out, "\n");
}

void atx_export_sentence(atx_str *out, const char *label, const char *text)
{
    do {
        size_t len = strlen(text), most = WIDEST - LABEL;
        if (len > most)
            for (len = most; len > most / 2 && text[len] != ' '; len--)
                ;
        atx_str_addf(out, "// %-14s ", label);
        add_bytes(out, text, len);
        atx_str_add(out, "\n");
        label = "";
        text += len + (text[len] == ' ');
    } while (*text);
}

static bool is_below(const char *file, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(file, folder, len) == 0 && (file[len] == '/' || (len && folder[len - 1] == '/'));
}

/* The user's own op, or template of a built-in op, is found in its folder only. */
static void add_command(atx_str *out, const atx_export_input *in, const char *title)
{
    ATX_LOCAL(atx_str) command = { 0 };
    const atx_template *t = in->found->t;
    bool measured = in->found->own;
    atx_str_addf(&command, "autotune tune %s", title);
    if (in->templates &&
        (is_below(t->op->text.file, in->templates) || is_below(t->text.file, in->templates))) {
        atx_str_add(&command, " --templates ");
        atx_str_add_word(&command, in->templates);
    }
    if (t->text.headers)
        atx_str_add(&command, " --headers DIR");
    atx_str_addf(&command, " --device 0%s%s", measured ? " --force" : "",
                 in->found->answer->fingerprint.cold ? "" : " --warm");
    out->failed |= command.failed;
    atx_export_comment(out, measured ? "measure again" : "measure it", atx_str_text(&command));
}

static void add_ceiling(atx_str *out, const atx_winner *w)
{
    char line[512];
    if (w->ceiling_s > 0 && atx_ceiling_is_rate(w->ceiling_name)) {
        snprintf(line, sizeof line, "%.1f %% of %.100s", 100 * w->ceiling_s / w->timing.median_s,
                 w->ceiling_name);
        atx_export_comment(out, "ceiling", line);
    } else if (w->ceiling_s > 0) {
        snprintf(line, sizeof line, "%.1f %% of the best plain copy of the same bytes (%.100s, %.2f us)",
                 100 * w->ceiling_s / w->timing.median_s, w->ceiling_name, 1e6 * w->ceiling_s);
        atx_export_comment(out, "copy ceiling", line);
    }
}

/* As a re-measurement, or a search, measured it for this problem. */
static void add_measured(atx_str *out, const atx_export_input *in)
{
    const atx_answer *a = in->found->answer;
    const atx_winner *w = &a->winner;
    const atx_fingerprint *f = &a->fingerprint;
    const bool exact = in->found->match == ATX_MATCH_EXACT;
    char line[512];
    snprintf(line, sizeof line, "%.2f us, %.0f GB/s, %s L2%s", 1e6 * w->timing.median_s,
             atx_answer_gb_per_s(a), f->cold ? "cold" : "warm",
             exact ? "" : ", in a search, not re-measured");
    atx_export_comment(out, "measured", line);
    if (a->ops_count > 0) {
        snprintf(line, sizeof line, "%.0f GFLOP/s", atx_gflop_per_s(a->ops_count, w->timing.median_s));
        atx_export_comment(out, "", line);
    }
    if (!exact)
        atx_export_sentence(out, "not the winner", in->found->why);
    if (*w->objective)
        atx_export_comment(out, "objective", w->objective);
    add_ceiling(out, w);
    snprintf(line, sizeof line, "%s, driver %s, NVRTC %s, %s", f->device, f->driver, f->nvrtc,
             a->measured_at);
    atx_export_comment(out, "conditions", line);
}

static void add_expected(atx_str *out, const atx_export_input *in)
{
    char line[256], time[32];
    atx_export_sentence(out, "not measured", in->found->why);
    if (!(in->found->expected_s > 0))
        return;
    atx_time_text(time, sizeof time, in->found->expected_s);
    snprintf(line, sizeof line, "about %s; such answers are %.1f %% slower than tuned ones in the mean", time,
             100 * in->found->expected_loss);
    atx_export_comment(out, "expected", line);
}

atx_fingerprint atx_export_device(const atx_export_input *in)
{
    const atx_found *found = in->found;
    const atx_fingerprint *known = &found->answer->fingerprint;
    atx_fingerprint f = { .cc = found->cc, .sms = found->sms };
    if (found->match == ATX_MATCH_EXACT || !found->cc)
        return *known;
    if (strcmp(found->device, known->device) == 0)
        f.memory_mib = known->memory_mib;
    snprintf(f.device, sizeof f.device, "%s", found->device);
    return f;
}

/* nvcc makes code for plain sm_90 beside that of -arch=sm_90a, which has not what only the latter has. */
enum { ARCH_OPTION = 60 };
static void write_arch(char out[ARCH_OPTION], const atx_template *t, int64_t cc)
{
    const char variant = atx_arch_variant(t->build.target, (int)cc);
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, cc, variant);
    if (variant)
        snprintf(out, ARCH_OPTION, "-gencode arch=compute_%s,code=%s", arch + strlen("sm_"), arch);
    else
        snprintf(out, ARCH_OPTION, "-arch=%s", arch);
}

void atx_export_about(atx_str *out, const atx_export_input *in, const char *title)
{
    const atx_fingerprint f = atx_export_device(in);
    const atx_template *t = in->found->t;
    char line[512], arch[ARCH_OPTION];
    write_arch(arch, t, f.cc);
    atx_str_add(out, "// ");
    add_bytes(out, title, strlen(title));
    atx_str_add(out, " for ");
    add_bytes(out, f.device, strlen(f.device));
    if (t->op->about[0]) {
        atx_str_add(out, ": ");
        add_bytes(out, t->op->about, strlen(t->op->about));
    }
    atx_str_addf(out, "\n// Made by autotune %s. Compile with nvcc -std=c++17 ", AT_VERSION);
    if (in->found->match == ATX_MATCH_OTHER_DEVICE && !in->found->cc)
        atx_str_addf(out, "-arch=... of your device; %s is that one's.\n//\n", arch);
    else
        atx_str_addf(out, "%s.\n//\n", arch);
    atx_export_comment(out, "configuration", in->found->answer->winner.config);
    snprintf(line, sizeof line, "%.80s, hash %.12s", t->text.file, in->found->answer->winner.template_hash);
    atx_export_comment(out, "template", line);
    if (in->found->own)
        add_measured(out, in);
    else
        add_expected(out, in);
    if (in->found->shipped)
        atx_export_comment(out, "from", ATX_SHIPPED);
    add_command(out, in, title);
    atx_str_add(out, "\n");
}
