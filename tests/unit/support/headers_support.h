/* headers_support.h - a folder with a small library of headers, for tests of source/headers.h. One copy a
 * file.
 */
#pragma once

#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static inline void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file, "%s", name);
    fputs(text, file);
    fclose(file);
}

/* A megabyte and more, which no template may have. */
static inline void put_large(const char *name)
{
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file);
    for (int i = 0; i < 40000; i++)
        fprintf(file, "// line %d of a header that is very large\n", i);
    fclose(file);
}

/* lib/two.h includes lib/detail/deep.h and large.h; lib/other.h is reached from nowhere. The test is in root.
 */
static inline void begin(void)
{
    TEMPORARY(root, "headers");
    cr_assert_not_null(mkdtemp(root));
    cr_assert_eq(chdir(root), 0);
    mkdir("inc", 0700);
    mkdir("inc/lib", 0700);
    mkdir("inc/lib/detail", 0700);
    mkdir("op", 0700);
    put("secret", "hidden:x:0:words\n");
    put("inc/lib/two.h",
        "#pragma once\n#include \"detail/deep.h\"\n#include <lib/large.h>\n#define TWO (1 + ONE)\n");
    put("inc/lib/detail/deep.h", "#ifndef DEEP\n#define DEEP\n#define ONE 1\n#endif\n");
    put("inc/lib/other.h", "int other;\n");
    put_large("inc/lib/large.h");
}

static inline void end(void)
{
    char command[100];
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}
