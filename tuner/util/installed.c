/*
 * installed.c - reads `Model: NVIDIA H200` from each GPU's `information`. Whatever cannot be read says
 * nothing: a look-up then answers with the newest result of any device.
 */
#include "util/installed.h"

#include "util/str.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* The value of the line that begins with `Model:`; empty: there is none, or it does not fit. */
static void read_model(char *name, size_t size, const char *path)
{
    *name = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[256];
    while (!*name && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Model:", 6) != 0)
            continue;
        const char *value = line + 6 + strspn(line + 6, " \t");
        size_t length = strcspn(value, "\r\n");
        if (length > 0 && length < size && value[length])
            snprintf(name, size, "%.*s", (int)length, value);
    }
    fclose(file);
}

void atx_installed_model(char *name, size_t size, const char *folder)
{
    *name = '\0';
    DIR *gpus = opendir(folder);
    if (!gpus)
        return;
    for (const struct dirent *each; (each = readdir(gpus));) {
        char model[128];
        atx_str path = { 0 };
        if (each->d_name[0] == '.')
            continue;
        atx_str_addf(&path, "%s/%s/information", folder, each->d_name);
        read_model(model, sizeof model, atx_str_text(&path));
        atx_str_clear(&path);
        bool another = *name && strcmp(name, model) != 0;
        if (!*model || another || strlen(model) >= size) {
            *name = '\0';
            break;
        }
        snprintf(name, size, "%s", model);
    }
    closedir(gpus);
}
