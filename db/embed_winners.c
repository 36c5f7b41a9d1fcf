/*
 * embed_winners.c - at build time: the dumps of db/winners/ become one database, and that a C array.
 *
 *     embed_winners OUTPUT.c DUMP...
 *
 * The database is what a merge of the dumps into an empty file gives, as SQLite lays it out on disk, so that
 * the program reads it where it lies (store_shipped.c). Equal dumps give equal bytes.
 */
#include "db/store_internal.h"
#include "lang/catalog.h"

#include <stdio.h>
#include <string.h>

/* The program that makes the array is linked without it, and without hashes of templates. */
const char at__embedded_hashes[1][AT__HASH_TEXT] = { "" };
const size_t at__embedded_hash_count = 0;
const unsigned char at__shipped_image[1] = { 0 };
const size_t at__shipped_bytes = 0;

/*
 * The time of the merge says nothing of the winners, and would differ with every build. The view `best`
 * becomes a table of the same rows, in the order in which they are asked for: it is read when a program is
 * asked for the first time.
 */
static const char SETTLE[] = "UPDATE run SET started_at = '';"
                             "DROP VIEW main.best;"
                             "CREATE TABLE main.best AS SELECT * FROM temp.best ORDER BY rank_at, winner_id;"
                             "DROP VIEW temp.best;"
                             "CREATE INDEX main.best_order ON best (rank_at, winner_id);"
                             "VACUUM";

static at_status settle(at__store *store, at_error *err)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    at__guard_names_views(store, true);
    return sqlite3_exec(store->db, SETTLE, NULL, NULL, NULL) == SQLITE_OK
               ? AT_OK
               : at__store_fail(store, "lay the winners out", err);
}

static bool write_array(FILE *file, const unsigned char *bytes, size_t count)
{
    fprintf(file,
            "/* Made by db/embed_winners.c from db/winners; do not edit. */\n"
            "#include \"db/store_internal.h\"\n"
            "const size_t at__shipped_bytes = %zu;\n"
            "_Alignas(8) const unsigned char at__shipped_image[] = {",
            count);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%u,", i % 32 ? "" : "\n", bytes[i]);
    return fprintf(file, "\n};\n") > 0 && fflush(file) == 0 && !ferror(file);
}

static at_status write_image(const char *path, at__store *store, at_error *err)
{
    sqlite3_int64 count = 0;
    unsigned char *bytes = sqlite3_serialize(store->db, "main", &count, 0);
    if (!bytes)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    FILE *file = fopen(path, "w");
    bool written = file && write_array(file, bytes, (size_t)count);
    if (file)
        written = fclose(file) == 0 && written;
    sqlite3_free(bytes);
    return written ? AT_OK : at_fail(err, AT_ERR_SYSTEM, "%s: cannot be written", path);
}

int main(int argc, char **argv)
{
    at__store *store = NULL;
    at_error err = { 0 };
    if (argc < 2) {
        fprintf(stderr, "embed_winners OUTPUT.c DUMP...\n");
        return 2;
    }
    at_status status = at__store_open_memory(&store, &err);
    if (status == AT_OK)
        status = at__store_merge(store, (const char *const *)argv + 2, argc - 2, NULL, &err);
    if (status == AT_OK)
        status = settle(store, &err);
    if (status == AT_OK)
        status = write_image(argv[1], store, &err);
    if (status != AT_OK)
        fprintf(stderr, "embed_winners: %s\n", err.text);
    at__store_close(store);
    return status == AT_OK ? 0 : 1;
}
