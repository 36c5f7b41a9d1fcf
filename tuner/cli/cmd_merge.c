/* cmd_merge.c - `autotune merge`: databases and dumps into one database. */
#include "cli/commands.h"
#include "db/store.h"

#include <stdio.h>

static const atx_usage USAGE = {
    "autotune merge INTO.db FROM...",
    "Adds the trials and winners of databases or dumps (- reads a dump from stdin) to a database, which is "
    "created if it is missing. Of two trials of the same problem, conditions, template and configuration the "
    "newer one is kept; winners that are there already are not added again. If a file cannot be read, or "
    "after Ctrl-C, the database does not change.\n"
    "Limits: 16 MiB for a line of a dump, including what it takes from the lines before it, 16 GiB for a "
    "dump, and 2 GiB of memory for a dump that is replayed (replay:FILE).",
};

static void print_counts(const atx_merge_counts *c, const char *into)
{
    atx_print(stderr, "%lld of %lld trials, %lld of %lld winners and %lld of %lld texts were new in %s\n",
              (long long)c->trials_taken, (long long)c->trials, (long long)c->winners_taken,
              (long long)c->winners, (long long)c->sources_taken, (long long)c->sources, into);
}

static void warn_of_dates(const atx_merge_counts *c)
{
    char text[256];
    snprintf(text, sizeof text,
             "%lld of them are dated in the future: the clock of one of the machines was or is wrong; they "
             "count as older than all others",
             (long long)c->in_the_future);
    atx_warn(text);
}

int atx_cmd_merge(int argc, char **argv)
{
    atx_words words = { 0 };
    atx_merge_counts counts = { 0 };
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    bool quiet = false;
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--quiet", ATX_OPT_FLAG, NULL, "do not print how many rows were new", &quiet },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = AT_OK;
    if (words.count < 2)
        status =
            atx_fail(&err, AT_ERR_USAGE, "found %d file%s; expected INTO.db and one or more to add to it",
                     words.count, words.count == 1 ? "" : "s");
    if (status == AT_OK)
        atx_warn_of_network(words.items[0]);
    ATX_THEN(status,
             atx_store_merge_into(words.items[0], words.items + 1, words.count - 1, &cancel, &counts, &err));
    if (status != AT_OK)
        return atx_complain(&err);
    if (!quiet)
        print_counts(&counts, words.items[0]);
    if (counts.in_the_future)
        warn_of_dates(&counts);
    return code;
}
