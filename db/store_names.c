/*
 * store_names.c - what a name leads to: a database, one of the files that SQLite keeps beside it, or neither.
 *
 * No file is opened by hand here that may be a database. POSIX drops all locks that a process has on a file
 * when any of its descriptors is closed: another process would then take a log away that is in use. SQLite
 * keeps count of its own descriptors and closes none too early.
 */
#include "db/store_internal.h"
#include "util/real_path.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const atx_store_beside[ATX_BESIDE_COUNT] = { "", "-wal", "-shm", "-journal" };

bool atx_store_owns(const char *database, const char *path)
{
    bool owns = atx_same_file(database, path);
    atx_str real = { 0 };
    at_status status = owns ? AT_OK : atx_real_path(&real, database, NULL);
    size_t len = real.len;
    for (int i = 0; i < ATX_BESIDE_COUNT && status == AT_OK && !owns; i++) {
        atx_str_add(&real, atx_store_beside[i]);
        status = atx_str_status(&real, NULL);
        owns = status == AT_OK && atx_same_file(real.data, path);
        if (status == AT_OK)
            real.data[real.len = len] = '\0';
    }
    atx_str_clear(&real);
    return owns;
}

void atx_store_remove(const char *path)
{
    atx_str name = { 0 };
    for (int i = 0; i < ATX_BESIDE_COUNT; i++) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s%s", path, atx_store_beside[i]);
        if (!name.failed)
            unlink(name.data);
    }
    atx_str_clear(&name);
}

bool atx_store_has_files_beside(const char *path)
{
    struct stat info;
    atx_str name = { 0 };
    bool found = false;
    for (int i = 1; i < ATX_BESIDE_COUNT && !found; i++) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s%s", path, atx_store_beside[i]);
        found = name.failed || lstat(name.data, &info) == 0;
    }
    atx_str_clear(&name);
    return found;
}

/* SQLite opens a file without looking whether it is one of its own. */
static bool begins_so(sqlite3 *db, const char magic[16])
{
    sqlite3_file *file = NULL;
    char begin[16];
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
           file->pMethods && file->pMethods->xRead(file, begin, sizeof begin, 0) == SQLITE_OK &&
           memcmp(begin, magic, sizeof begin) == 0;
}

bool atx_store_is_database(const char *path)
{
    static const char MAGIC[16] = "SQLite format 3";
    struct stat info;
    sqlite3 *db = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* a pipe would lose what is read here */
        return false;
    bool is = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
              begins_so(db, MAGIC);
    sqlite3_close(db);
    return is;
}
