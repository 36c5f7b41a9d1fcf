/*
 * embed_winners.c - at build time: merges the dumps of db/winners/ into one database and writes it as a C
 * array.
 *
 *   embed_winners OUTPUT.c DUMP...
 *
 * The database is the result of merging the dumps into an empty file, in SQLite's format on disk, so that the
 * program reads it in place (store_shipped.c). Next to it are the best winners as packed rows, by op, device
 * and type. Equal dumps give equal bytes.
 */
#include "db/store_internal.h"
#include "lang/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program that makes the array is linked without it, and without images of templates. */
const atx_images atx_embedded_images = { .count = 0 };
const unsigned char atx_shipped_image[1] = { 0 };
const size_t atx_shipped_bytes = 0;
const unsigned char atx_shipped_rows[1] = { 0 };
const uint32_t atx_shipped_row_at[1] = { 0 };
const atx_shipped_group atx_shipped_groups[1] = { { .count = 0 } };
const size_t atx_shipped_group_count = 0;

/*
 * The time of the merge says nothing of the winners, and would differ with every build. The view `best_rows`
 * becomes a table of the same rows, in the order in which they are asked for: it is read when a program is
 * asked for the first time.
 */
static const char LAYOUT[] =
    "UPDATE run SET started_at = '';"
    "DROP VIEW main.best_rows;"
    "CREATE TABLE main.best_rows AS SELECT * FROM temp.best_rows ORDER BY rank_at, winner_id;"
    "DROP VIEW temp.best_rows;"
    "CREATE INDEX main.best_order ON best_rows (rank_at, winner_id);"
    "VACUUM";

static at_status lay_out(atx_store *store, at_error *err)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
    return sqlite3_exec(store->db, LAYOUT, NULL, NULL, NULL) == SQLITE_OK
               ? AT_OK
               : atx_store_fail(store, "lay the winners out", err);
}

/* ---- rows ---- */

typedef struct ranked {
    atx_answer answer;
    uint32_t rank;
    char proof[ATX_HASH_TEXT];
} ranked;

typedef struct rows {
    ranked *items;
    size_t count, cap;
    bool failed;
} rows;

static bool keep_row(void *context, atx_answer *answer)
{
    rows *r = context;
    r->failed = !atx_grow(&r->items, &r->cap, r->count, sizeof *r->items);
    if (r->failed)
        return false;
    r->items[r->count] = (ranked){ .answer = *answer, .rank = (uint32_t)r->count };
    r->count++;
    *answer = (atx_answer){ 0 };
    return true;
}

static int compare_groups(const ranked *x, const ranked *y)
{
    int order = strcmp(x->answer.op, y->answer.op);
    if (order == 0)
        order = strcmp(x->answer.fingerprint.device, y->answer.fingerprint.device);
    return order ? order : strcmp(x->answer.type_key, y->answer.type_key);
}

static int by_group(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = compare_groups(x, y);
    return order ? order : x->rank < y->rank ? -1 : 1;
}

static at_status read_rows(rows *out, atx_store *store, at_error *err)
{
    at_status status = atx_store_each_best(store, keep_row, out, err);
    if (status == AT_OK && out->failed)
        status = atx_no_memory(err);
    for (size_t i = 0; i < out->count && status == AT_OK; i++) {
        const char *op_hash = out->items[i].answer.winner.op_hash;
        if (!*op_hash || atx_store_get_space(out->items[i].proof, store, op_hash, NULL) != AT_OK)
            out->items[i].proof[0] = '\0';
    }
    if (status == AT_OK && out->count)
        qsort(out->items, out->count, sizeof *out->items, by_group);
    return status;
}

static void rows_clear(rows *r)
{
    for (size_t i = 0; i < r->count; i++)
        atx_answer_clear(&r->items[i].answer);
    free(r->items);
}

static void pack_row(atx_str *out, const ranked *row)
{
    unsigned char rank[4];
    for (int i = 0; i < 4; i++)
        rank[i] = (unsigned char)(row->rank >> 8 * i);
    atx_columns_pack(out, &atx_winner_columns, &row->answer.winner);
    atx_columns_pack(out, &atx_fingerprint_columns, &row->answer.fingerprint);
    atx_columns_pack(out, &atx_answer_columns, &row->answer);
    atx_str_add_bytes(out, rank, sizeof rank);
    atx_str_add_bytes(out, row->proof, strlen(row->proof) + 1);
}

/* ---- the file ---- */

/* As a text, and so with a 0 behind: a compiler takes a tenth of the time that it takes for a list of
 * numbers. */
static void write_bytes(FILE *file, const char *type, const unsigned char *bytes, size_t count)
{
    fprintf(file, "%s =\n\"", type);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\\%03o", i % 32 || !i ? "" : "\"\n\"", bytes[i]);
    fprintf(file, "\";\n");
}

static void write_groups(FILE *file, const rows *r)
{
    size_t count = 0;
    fprintf(file, "const atx_shipped_group atx_shipped_groups[] = {\n");
    for (size_t i = 0, end; i < r->count; i = end, count++) {
        for (end = i + 1; end < r->count && compare_groups(&r->items[i], &r->items[end]) == 0;)
            end++;
        fprintf(file, "{ \"%s\", \"%s\", \"%s\", %zu, %zu, %u },\n", r->items[i].answer.op,
                r->items[i].answer.fingerprint.device, r->items[i].answer.type_key, i, end - i,
                (unsigned)r->items[end - 1].rank);
    }
    fprintf(file, "{ .count = 0 }\n};\nconst size_t atx_shipped_group_count = %zu;\n", count);
}

static at_status write_rows(FILE *file, const rows *r, at_error *err)
{
    ATX_LOCAL(atx_str) packed = { 0 };
    fprintf(file, "const uint32_t atx_shipped_row_at[] = {\n");
    for (size_t i = 0; i < r->count; i++) {
        fprintf(file, "%zu,\n", packed.len);
        pack_row(&packed, &r->items[i]);
    }
    fprintf(file, "0 };\n");
    ATX_TRY(atx_str_status(&packed, err));
    write_bytes(file, "const unsigned char atx_shipped_rows[]", (const unsigned char *)atx_str_text(&packed),
                packed.len);
    return AT_OK;
}

static at_status write_all(FILE *file, atx_store *store, const rows *r, at_error *err)
{
    sqlite3_int64 count = 0;
    unsigned char *bytes = sqlite3_serialize(store->db, "main", &count, 0);
    if (!bytes)
        return atx_no_memory(err);
    fprintf(file,
            "/* Made by db/embed_winners.c from db/winners; do not edit. */\n"
            "#include \"db/store_internal.h\"\n"
            "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif\n"
            "const size_t atx_shipped_bytes = %zu;\n",
            (size_t)count);
    write_bytes(file, "_Alignas(8) const unsigned char atx_shipped_image[]", bytes, (size_t)count);
    sqlite3_free(bytes);
    write_groups(file, r);
    return write_rows(file, r, err);
}

static at_status write_image(const char *path, atx_store *store, at_error *err)
{
    ATX_LOCAL(rows) r = { 0 };
    at_status status = read_rows(&r, store, err);
    FILE *file = status == AT_OK ? fopen(path, "w") : NULL;
    if (file)
        status = write_all(file, store, &r, err);
    bool written = file && fflush(file) == 0 && !ferror(file);
    if (file)
        written = fclose(file) == 0 && written;
    if (status == AT_OK && !written)
        status = atx_fail(err, AT_ERR_SYSTEM, "%s: cannot be written", path);
    return status;
}

int main(int argc, char **argv)
{
    ATX_CLOSED(atx_store) *store = NULL;
    at_error err = { 0 };
    if (argc < 2) {
        fprintf(stderr, "embed_winners OUTPUT.c DUMP...\n");
        return 2;
    }
    at_status status = atx_store_open_memory(&store, &err);
    ATX_THEN(status, atx_store_merge(store, (const char *const *)argv + 2, argc - 2, NULL, NULL, &err));
    ATX_THEN(status, lay_out(store, &err));
    ATX_THEN(status, write_image(argv[1], store, &err));
    if (status != AT_OK)
        fprintf(stderr, "embed_winners: %s\n", err.text);
    return status == AT_OK ? 0 : 1;
}
