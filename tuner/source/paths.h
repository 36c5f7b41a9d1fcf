/* paths.h - names of files that other files name. */
#pragma once

#include "util/str.h"

/* Of a file's path, up to its last slash and with it. */
size_t atx_folder_len(const char *path);

/* NAME, in the folder of `file`; *out is replaced. */
void atx_join_path(atx_str *out, const char *file, const char *name);

/* `name` as seen from where `file` is seen: "dir/op/t.cu" and "../a.cu" make "dir/a.cu". */
void atx_beside(atx_str *out, const char *file, const char *name);
