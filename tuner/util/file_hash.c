/* file_hash.c - a line of the list is "DEVICE INODE SIZE MODIFIED CHANGED HASH"; the first that fits counts.
 * A list that has grown too long is removed, and begins anew. */
#include "util/file_hash.h"

#include "util/out_file.h"
#include "util/regular.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SMALL_BYTES = 1 << 20, MAX_LIST_BYTES = 1 << 16, CONVERGED_S = 2 };

/* ---- the list ---- */

/* "": there is no place for it. */
static void find_list(atx_str *out)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        atx_str_addf(out, "%s/autotune/contents", base);
    else if (home && home[0] == '/')
        atx_str_addf(out, "%s/.cache/autotune/contents", home);
}

static void make_folders(const char *list)
{
    ATX_LOCAL(atx_str) path = { 0 };
    for (const char *slash = strchr(list + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        atx_str_reset(&path);
        atx_str_add_bytes(&path, list, (size_t)(slash - list));
        if (path.failed || (mkdir(path.data, 0700) != 0 && access(path.data, X_OK) != 0))
            break;
    }
}

/* The start of a line, and a blank. */
static void add_key(atx_str *out, const struct stat *info)
{
    atx_str_addf(out, "%llx %llx %lld %lld.%09ld %lld.%09ld ", (unsigned long long)info->st_dev,
                 (unsigned long long)info->st_ino, (long long)info->st_size, (long long)info->st_mtim.tv_sec,
                 info->st_mtim.tv_nsec, (long long)info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

static bool is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == ATX_HASH_TEXT - 1 && text[ATX_HASH_TEXT - 1] == '\n';
}

static bool look_up(char hash[ATX_HASH_TEXT], const char *list, const char *key)
{
    ATX_LOCAL(atx_str) text = { 0 };
    const size_t len = strlen(key);
    bool found = false;
    if (atx_regular_read(&text, list, 2 * MAX_LIST_BYTES, NULL) != AT_OK)
        return false;
    for (const char *at = atx_str_text(&text); *at && !found; at += strcspn(at, "\n"), at += *at == '\n') {
        found = strncmp(at, key, len) == 0 && is_hash(at + len);
        if (found)
            memcpy(hash, at + len, ATX_HASH_TEXT - 1);
    }
    hash[ATX_HASH_TEXT - 1] = '\0';
    return found;
}

static bool is_converged(const struct stat *info)
{
    const time_t now = time(NULL), changed = info->st_ctim.tv_sec, modified = info->st_mtim.tv_sec;
    return now - changed > CONVERGED_S && now - modified > CONVERGED_S;
}

/* That it fails costs time, and nothing else. */
static void write_down(const char *list, const atx_str *key, const char *hash)
{
    struct stat info;
    ATX_LOCAL(atx_str) line = { 0 };
    atx_str_addf(&line, "%s%s\n", atx_str_text(key), hash);
    make_folders(list);
    if (lstat(list, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > MAX_LIST_BYTES))
        unlink(list);
    if (!line.failed && atx_out_append(list, line.data, line.len, NULL) != AT_OK)
        unlink(list);
}

/* ---- hashing ---- */

static at_status hash_all(char hash[ATX_HASH_TEXT], FILE *file, const char *path, const struct stat *before,
                          at_error *err)
{
    static const char CHANGED[] = "%s: it changed while it was read; expected a file that does not change";
    char chunk[1 << 16];
    struct stat after;
    atx_sha256 sum;
    atx_sha256_init(&sum);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        atx_sha256_add(&sum, chunk, got);
    if (ferror(file) || fstat(fileno(file), &after) != 0)
        return atx_fail(err, AT_ERR_INPUT, "%s: it cannot be read", path);
    if (!atx_same_contents(before, &after))
        return atx_fail(err, AT_ERR_INPUT, CHANGED, path);
    atx_sha256_text(&sum, hash);
    return AT_OK;
}

at_status atx_file_hash(char hash[ATX_HASH_TEXT], struct stat *info, const char *path, at_error *err)
{
    FILE *file = NULL;
    ATX_LOCAL(atx_str) list = { 0 }, key = { 0 };
    at_status status = atx_regular_open(&file, info, path, err);
    if (status != AT_OK)
        return status;
    if (info->st_size > SMALL_BYTES) {
        find_list(&list);
        add_key(&key, info);
    }
    const bool listed = list.len && !list.failed && !key.failed;
    if (!listed || !look_up(hash, list.data, key.data)) {
        status = hash_all(hash, file, path, info, err);
        if (status == AT_OK && listed && is_converged(info))
            write_down(list.data, &key, hash);
    }
    fclose(file);
    return status;
}
