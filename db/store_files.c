/*
 * store_files.c - the files of a database: the file that a name refers to, its file system, its owner, and
 * its users.
 *
 * No file that may be a database is opened directly here. POSIX drops all locks of a process on a file when
 * any of its descriptors is closed: another process would then remove a log that is in use. SQLite counts its
 * own descriptors and closes none too early. For the same reason a new file is made beside its place and
 * linked there.
 *
 * On a network file system SQLite must not be trusted: its locks are those of the file system, and its log
 * beside the database (-shm) is memory that hosts do not share.
 *
 * One process at a time, and one thread in it, tunes a problem for a database: a file beside the database is
 * locked, one byte for each problem. The lock is that of an open file (OFD): it ends with its process, in
 * whatever way that ends, and threads exclude each other as processes do. The file is empty and never
 * removed: removing it while others have it open would make two.
 *
 * A cache of compiled kernels is code: it is used only if no other user than its own and root can have
 * written it. A file in such a folder belongs to the user or to root; a user who may only write a folder
 * above it could at most put another file of the user's in its place. Files that are made here are readable
 * by the user alone.
 */
#include "db/store_internal.h"

#include "util/real_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *const atx_store_beside[ATX_BESIDE_COUNT] = { "", "-wal", "-shm", "-journal" };

bool atx_store_owns(const char *database, const char *path)
{
    bool owns = atx_same_file(database, path);
    ATX_LOCAL(atx_str) real = { 0 };
    at_status status = owns ? AT_OK : atx_real_path(&real, database, NULL);
    size_t len = real.len;
    for (int i = 0; i < ATX_BESIDE_COUNT && status == AT_OK && !owns; i++) {
        atx_str_add(&real, atx_store_beside[i]);
        status = atx_str_status(&real, NULL);
        owns = status == AT_OK && atx_same_file(real.data, path);
        if (status == AT_OK)
            real.data[real.len = len] = '\0';
    }
    return owns;
}

void atx_store_remove(const char *path)
{
    ATX_LOCAL(atx_str) name = { 0 };
    for (int i = 0; i < ATX_BESIDE_COUNT; i++) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s%s", path, atx_store_beside[i]);
        if (!name.failed)
            unlink(name.data);
    }
}

bool atx_store_has_files_beside(const char *path)
{
    struct stat info;
    ATX_LOCAL(atx_str) name = { 0 };
    bool found = false;
    for (int i = 1; i < ATX_BESIDE_COUNT && !found; i++) {
        atx_str_reset(&name);
        atx_str_addf(&name, "%s%s", path, atx_store_beside[i]);
        found = name.failed || lstat(name.data, &info) == 0;
    }
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

/* ---- network file systems ---- */

/* Numbers of statfs(2). */
static const struct network {
    uint32_t type;
    const char *name;
} NETWORKS[] = {
    { 0x6969, "NFS" },       { 0x0BD00BD0, "Lustre" }, { 0x47504653, "GPFS" },     { 0x19830326, "BeeGFS" },
    { 0xFF534D42, "CIFS" },  { 0xFE534D42, "CIFS" },   { 0x517B, "SMB" },          { 0x00C36400, "Ceph" },
    { 0x5346414F, "AFS" },   { 0x6B414653, "AFS" },    { 0x20030528, "OrangeFS" }, { 0x013661, "GFS2" },
    { 0x7461636F, "OCFS2" }, { 0xAAD7AAEA, "PanFS" },
};

/* By its number in statfs(2). */
static const char *network_name(uint32_t type)
{
    for (size_t i = 0; i < sizeof NETWORKS / sizeof *NETWORKS; i++)
        if (NETWORKS[i].type == type)
            return NETWORKS[i].name;
    return NULL;
}

/* A file that does not exist yet: where its folder is. */
const char *atx_store_network(const char *path)
{
    struct statfs info;
    atx_str at = { 0 };
    atx_str_add(&at, path);
    bool known = !at.failed && statfs(at.data, &info) == 0;
    while (!known && !at.failed) {
        char *slash = strrchr(at.data, '/');
        const char *folder = !slash ? "." : slash == at.data ? "/" : at.data;
        if (slash)
            *slash = '\0';
        known = statfs(folder, &info) == 0;
        if (!slash || slash == at.data)
            break;
    }
    atx_str_clear(&at);
    return known ? network_name((uint32_t)info.f_type) : NULL;
}

/* ---- who tunes a problem ---- */

enum { LOCK_MODE = 0666, PLACES = 1 << 30 };

static bool take(int fd, uint64_t what)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(what % PLACES), .l_len = 1
    };
    int code;
    do
        code = fcntl(fd, F_OFD_SETLK, &range);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

at_status atx_store_lock_problem(int *fd, const char *database, uint64_t what, at_error *err)
{
    ATX_LOCAL(atx_str) path = { 0 };
    at_status status = atx_store_check_name(database, err);
    ATX_THEN(status, atx_store_make_parents(database, 0777, err));
    atx_str_addf(&path, "%s-tuning", database);
    ATX_THEN(status, atx_str_status(&path, err));
    int file = status == AT_OK ? open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, LOCK_MODE) : -1;
    if (status == AT_OK && file < 0)
        status = atx_fail(err, AT_ERR_STORE, "%s: %s", path.data, strerror(errno));
    if (status == AT_OK && !take(file, what)) {
        bool busy = errno == EAGAIN || errno == EACCES;
        status = busy ? atx_fail(err, AT_ERR_NOT_FOUND, "%s: another process tunes this problem", database)
                      : atx_fail(err, AT_ERR_STORE, "%s: cannot be locked: %s", path.data, strerror(errno));
        close(file);
    }
    if (status == AT_OK)
        *fd = file;
    return status;
}

/* ---- caches ---- */

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH };

static const char ANOTHER[] = "name another one with AUTOTUNE_CACHE";

static at_status check_owner(const char *path, const struct stat *info, at_error *err)
{
    bool folder = S_ISDIR(info->st_mode);
    const char *what = folder ? "folder" : "file";
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: the %s belongs to another user (%lld), so compiled kernels are not taken from it; %s", path,
            what, (long long)info->st_uid, ANOTHER);
    bool shared = info->st_mode & S_ISVTX; /* on purpose, as /tmp is */
    if (info->st_mode & OTHERS_WRITE)
        return atx_fail(
            err, AT_ERR_STORE,
            "%s: others may write to the %s (mode %04o), so compiled kernels are not taken from it; %s%s%s%s",
            path, what, (unsigned)(info->st_mode & 07777), shared ? "" : "`chmod go-w ", shared ? "" : path,
            shared ? "" : "` if you trust what is there, or ", ANOTHER);
    return AT_OK;
}

/* A file that does not exist is no danger. */
static at_status check_beside(const char *path, const char *ending, at_error *err)
{
    ATX_LOCAL(atx_str) name = { 0 };
    struct stat info;
    atx_str_addf(&name, "%s%s", path, ending);
    at_status status = atx_str_status(&name, err);
    if (status == AT_OK && stat(name.data, &info) == 0)
        status = check_owner(name.data, &info, err);
    return status;
}

static at_status check_folder_of(const char *path, at_error *err)
{
    ATX_LOCAL(atx_str) folder = { 0 };
    struct stat info;
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + (slash == path) : 1);
    ATX_TRY(atx_str_status(&folder, err));
    if (stat(folder.data, &info) != 0)
        return atx_fail(err, AT_ERR_STORE, "%s: %s", folder.data, strerror(errno));
    return check_owner(folder.data, &info, err);
}

at_status atx_store_is_private(const char *path, at_error *err)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return AT_OK;                  /* opening it says that it is no file */
    char *real = realpath(path, NULL); /* SQLite follows links too */
    const char *name = real ? real : path;
    at_status status = check_folder_of(name, err);
    for (int i = 0; i < ATX_BESIDE_COUNT && status == AT_OK; i++)
        status = check_beside(name, atx_store_beside[i], err);
    free(real);
    return status;
}

/* Makes it empty, for its user alone. Where that cannot be done SQLite says why, or does it in its own way.
 */
static void make_file(const char *path)
{
    ATX_LOCAL(atx_str) name = { 0 };
    struct stat info;
    if (stat(path, &info) == 0)
        return;
    atx_str_addf(&name, "%s.new-XXXXXX", path);
    int fd = name.failed ? -1 : mkstemp(name.data); /* 0600 */
    if (fd >= 0) {
        close(fd);
        int linked = link(name.data, path); /* fails where another process was first: its file is as good */
        (void)linked;
        unlink(name.data);
    }
}

at_status atx_store_open_cache(atx_store **out, const char *path, const atx_cancel *cancel, at_error *err)
{
    if (path[0] == '\0')
        return atx_fail(err, AT_ERR_USAGE, "the name of the cache is empty");
    at_status status = atx_store_check_name(path, err);
    if (status == AT_OK && access(path, F_OK) != 0)
        status = atx_store_make_parents(path, 0700, err);
    ATX_THEN(status, atx_store_is_private(path, err));
    if (status != AT_OK)
        return status;
    make_file(path);
    return atx_store_open_unless(out, path, ATX_STORE_WRITE, cancel, err);
}
