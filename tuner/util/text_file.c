/*
 * text_file.c - zlib also reads uncompressed data, so there is one way for both. A block is decompressed at a
 * time; [at, filled) of it has not been returned yet.
 */
#include "util/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 16 };

struct atx_text_file {
    gzFile file;
    const char *path;
    char block[BLOCK];
    size_t at, filled;
    int64_t lines; /* that were handed out */
};

at_status atx_text_file_open(atx_text_file **out, const char *path, at_error *err)
{
    atx_text_file *file = calloc(1, sizeof *file);
    if (!file)
        return atx_no_memory(err);
    file->path = path;
    errno = 0;
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    file->file = fd >= 0 ? gzdopen(fd, "rb") : gzopen(path, "rbe");
    if (!file->file) {
        int error = errno ? errno : ENOMEM;
        if (fd >= 0)
            close(fd);
        free(file);
        return atx_read_failed(path, error, err);
    }
    gzbuffer(file->file, 2 * BLOCK);
    *out = file;
    return AT_OK;
}

void atx_text_file_close(atx_text_file *file)
{
    if (!file)
        return;
    gzclose(file->file);
    free(file);
}

/* Fills the block; nothing in it: the end. */
static at_status fill(atx_text_file *file, at_error *err)
{
    int code = Z_OK, got = gzread(file->file, file->block, BLOCK), error = errno;
    const char *words = gzerror(file->file, &code);
    file->at = 0;
    file->filled = got > 0 ? (size_t)got : 0;
    if (got >= 0 && (code == Z_OK || code == Z_STREAM_END))
        return AT_OK;
    return code == Z_ERRNO ? atx_read_failed(file->path, error, err)
                           : atx_fail(err, AT_ERR_INPUT, "%s: %s", file->path,
                                      code == Z_BUF_ERROR ? "the compressed file ends too early" : words);
}

at_status atx_text_file_line(atx_text_file *file, atx_str *line, size_t limit, bool *got, bool *whole,
                             at_error *err)
{
    at_status status = AT_OK;
    atx_str_reset(line);
    *got = *whole = false;
    while (!*whole && status == AT_OK) {
        if (file->at == file->filled)
            status = fill(file, err);
        if (status != AT_OK || file->at == file->filled)
            break;
        const char *begin = file->block + file->at;
        const char *end = memchr(begin, '\n', file->filled - file->at);
        size_t len = end ? (size_t)(end - begin) : file->filled - file->at;
        if (len > limit - line->len)
            return atx_fail(err, AT_ERR_INPUT, "%s:%lld: found a line of more than %zu bytes; expected less",
                            file->path, (long long)file->lines + 1, limit);
        atx_str_add_bytes(line, begin, len);
        *got = true;
        *whole = end != NULL;
        file->at += len + (end ? 1 : 0);
        status = atx_str_status(line, err);
    }
    file->lines += *got;
    return status;
}

at_status atx_text_file_all(atx_text_file *file, atx_str *text, size_t limit, at_error *err)
{
    at_status status = AT_OK;
    do {
        atx_str_add_bytes(text, file->block + file->at, file->filled - file->at);
        if (text->len > limit)
            return atx_fail(err, AT_ERR_INPUT, "%s: found more than %zu bytes, decompressed; expected less",
                            file->path, limit);
        status = fill(file, err);
    } while (status == AT_OK && file->filled);
    return status == AT_OK ? atx_str_status(text, err) : status;
}

size_t atx_text_file_peek(void *out, size_t size, const char *path)
{
    struct stat info;
    gzFile file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? gzopen(path, "rbe") : NULL;
    if (!file)
        return 0;
    int got = gzread(file, out, (unsigned)size);
    gzclose(file);
    return got > 0 ? (size_t)got : 0;
}
