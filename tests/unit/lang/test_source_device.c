/* test_source_device.c - templates over `source FILE device`: what is compiled, and what puts results out of
 * date.
 */
#include "source_support.h"

#include "source/find_headers.h"

#define DECLARED "/*!autotune\ntemplate t\nsource ../k.cu device\nparam BLOCK = 64 128\nkernel k\n" END

static void begin(void)
{
    begin_folder();
    make("src");
    make("Common");
}

TestSuite(source_device, .init = begin, .fini = end);

static const char PROGRAM[] = "#include <stdio.h>\n"
                              "#include \"src/part.h\"\n"
                              "#define BLOCK 256\n"
                              "__global__ void k(float *y) { y[threadIdx.x] = part(BLOCK, INT_MAX); }\n"
                              "int main() { k<<<1, BLOCK>>>(nullptr); printf(\"%d\\n\", BLOCK); }\n";
static const char PART[] =
    "#pragma once\nstatic int host;\n__device__ float part(uint32_t a, int b) { return a + b; }\n";

Test(source_device, what_the_kernel_needs_is_compiled_with_the_lines_of_its_files)
{
    atx_op *op = read_op(MINI_OP);
    char line[200];
    put("k.cu", PROGRAM);
    put("src/part.h", PART);
    atx_template *t = must_read(op, DECLARED);
    char *text = render(t, "BLOCK=64");
    expect_text(text, "\n//!autotune option -default-device\n");
    expect_text(text, "\nconstexpr int BLOCK = 64;\n");
    expect_text(text, "\ntypedef unsigned int uint32_t;\n");
    expect_text(text, "\n#define INT_MAX 2147483647\n");
    snprintf(line, sizeof line, "#line 3 \"%s/src/part.h\"\n__device__ float part(", folder);
    expect_text(text, line);
    snprintf(line, sizeof line, "#line 4 \"%s/k.cu\"\n__global__ void k(", folder);
    expect_text(text, line);
    cr_expect(!strstr(text, "main") && !strstr(text, "define BLOCK") && !strstr(text, "int host"), "%s",
              text);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* The hash of the template over this program. */
static void hash_of(char hash[ATX_HASH_TEXT], const atx_op *op, const char *program, const char *part)
{
    put("k.cu", program);
    put("src/part.h", part);
    atx_template *t = must_read(op, DECLARED);
    memcpy(hash, t->text.hash, ATX_HASH_TEXT);
    atx_template_close(t);
}

Test(source_device, an_alias_of_the_standard_that_a_program_declares_again_is_the_one_given)
{
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "typedef unsigned long uint64_t;\n"
                "__global__ void k(float *y) { *y = uint64_t(1) + int32_t(2); }\n");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu device\nkernel k\n" END);
    char *text = render(t, "");
    expect_text(text, "\ntypedef int int32_t;\n");
    expect_text(text, "\ntypedef unsigned long long uint64_t;\n");
    cr_expect(!strstr(text, "unsigned long uint64_t"), "%s", text);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source_device, an_edit_of_the_host_changes_no_hash_and_one_of_the_kernels_code_does)
{
    static const struct {
        const char *program, *part;
        bool same;
    } EDITS[] = {
        { "#include <stdio.h>\n#include <vector>\n#include \"src/part.h\"\n#define BLOCK 512\n#define ROUNDS "
          "3\n"
          "using words = int;\n// a comment\n"
          "__global__ void k(float *y) { y[threadIdx.x] = part(BLOCK, INT_MAX); }\n"
          "void run(float *y) {\n\n\n\n\n\n\n\n\n\n  k<<<2, BLOCK>>>(y);\n}\n"
          "int main() { for (int i = 0; i < ROUNDS; i++) run(nullptr); }\n",
          PART, true },
        { PROGRAM,
          "#pragma once\nint host, more;\n\n__device__ float part(uint32_t a, int b) { return a + b; }\n",
          true },
        { PROGRAM, "#pragma once\n__device__ float part(uint32_t a, int b) { return a - b; }\n", false },
        { "#include \"src/part.h\"\n__global__ void k(float *y) { y[threadIdx.x] = part(BLOCK, INT_MIN); }\n",
          PART, false },
    };
    char first[ATX_HASH_TEXT], hash[ATX_HASH_TEXT];
    atx_op *op = read_op(MINI_OP);
    hash_of(first, op, PROGRAM, PART);
    for (size_t i = 0; i < sizeof EDITS / sizeof *EDITS; i++) {
        hash_of(hash, op, EDITS[i].program, EDITS[i].part);
        cr_expect_eq(strcmp(first, hash) == 0, EDITS[i].same, "edit %zu", i);
    }
    atx_op_close(op);
}

Test(source_device, a_stored_template_compiles_without_its_files)
{
    atx_op *op = read_op(MINI_OP);
    at_error err = { 0 };
    atx_template *again = NULL;
    put("k.cu", PROGRAM);
    put("src/part.h", PART);
    atx_template *t = must_read(op, DECLARED);
    put("k.cu", "");
    cr_assert_eq(atx_template_read(&again, op, t->text.source, t->text.source_len, t->text.file, &err), AT_OK,
                 "%s", err.text);
    char *first = render(t, "BLOCK=128"), *second = render(again, "BLOCK=128");
    cr_expect_str_eq(t->text.hash, again->text.hash);
    cr_expect_str_eq(first, second);
    free(first);
    free(second);
    atx_template_close(t);
    atx_template_close(again);
    atx_op_close(op);
}

Test(source_device, sources_for_the_device_stand_behind_each_other)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = NULL;
    at_error err = { 0 };
    put("k.cu", "__device__ int f();\n__global__ void k(float *y) { *y = f(); }\n");
    put("src/part.h", "__device__ int f() { return 1; }\nint host() { return 2; }\n");
    t = must_read(
        op, "/*!autotune\ntemplate t\nsource ../src/part.h device\nsource ../k.cu device\nkernel k\n" END);
    char *text = render(t, "");
    cr_expect(strstr(text, "int f() { return 1; }") && !strstr(text, "host()"), "%s", text);
    free(text);
    atx_template_close(t);
    cr_expect_eq(read_here(&t, op,
                           "/*!autotune\ntemplate t\nsource ../k.cu device\nsource ../src/part.h\n"
                           "source ../k.cu device\nkernel k\n" END,
                           &err),
                 AT_ERR_INPUT);
    cr_expect(strstr(err.text, "expected those for the device behind each other"), "%s", err.text);
    atx_op_close(op);
}

Test(source_device, a_file_of_megabytes_is_read_for_the_part_that_is_needed)
{
    char line[200];
    atx_op *op = read_op(MINI_OP);
    atx_str large = { 0 };
    for (int i = 0; i < 60000; i++)
        atx_str_addf(&large, "static const char *host_text_of_a_long_line_%d = \"%d\";\n", i, i);
    atx_str_add(&large, "__global__ void k(float *y) { *y = 1; }\n");
    cr_assert(!large.failed && large.len > (2u << 20));
    put("k.cu", large.data);
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu device\nkernel k\n" END);
    char *text = render(t, "");
    snprintf(line, sizeof line, "#line 60001 \"%s/k.cu\"\n__global__ void k(", folder);
    expect_text(text, line);
    cr_expect(strlen(text) < 4000);
    free(text);
    atx_template_close(t);
    atx_str_clear(&large);
    atx_op_close(op);
}

Test(source_device, headers_of_a_project_are_found_above_the_file)
{
    char path[200];
    atx_found_headers found;
    at_error err = { 0 };
    put("k.cu", "");
    make(".git");
    make("src/deep");
    put("Common/helper.h", "#include <stdio.h>\n#include <lib/none.h>\n#include \"more.h\"\n");
    put("src/more.h", "#pragma once\n");
    put("src/deep/a.cu",
        "#include <vector>\n#include <cuda_fp16.h>\n#include \"helper.h\"\n#include \"gone.h\"\n");
    snprintf(path, sizeof path, "%s/src/deep/a.cu", folder);
    cr_assert_eq(atx_find_headers(&found, path, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(found.count, 2);
    cr_expect_str_eq(found.folders[0], "../../Common");
    cr_expect_str_eq(found.folders[1], "..");
    cr_expect_str_eq(atx_str_text(&found.missing), "\"gone.h\"\n<lib/none.h>\n");
    atx_found_headers_clear(&found);
}

Test(source_device, the_file_that_includes_a_part_is_found)
{
    char path[200], wanted[200];
    atx_str includer = { 0 };
    put("src/deep.cu", "#include <kernel.cu>\n");
    put("src/main.cu", "#include \"kernel.cu\"\nint main() {}\n");
    put("src/kernel.cu", "__global__ void k(real *y) {}\n");
    snprintf(path, sizeof path, "%s/src/kernel.cu", folder);
    snprintf(wanted, sizeof wanted, "%s/src/main.cu", folder);
    cr_assert_eq(atx_find_includer(&includer, path, NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&includer), wanted);
    cr_assert_eq(atx_find_includer(&includer, wanted, NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&includer), "");
    atx_str_clear(&includer);
}

Test(source_device, a_launch_in_the_folder_above_is_of_the_same_repository)
{
    char path[200], wanted[200];
    atx_str launcher = { 0 };
    make(".git");
    make("own");
    make("other");
    make("other/.git");
    put("main.cu", "__global__ void k(float *y);\nint main() { k<<<1, 32>>>(0); }\n");
    put("own/k.cu", "__global__ void k(float *y) { y[threadIdx.x] = 1; }\n");
    put("other/k.cu", "__global__ void k(float *y) { y[threadIdx.x] = 1; }\n");
    snprintf(path, sizeof path, "%s/other/k.cu", folder);
    cr_assert_eq(atx_find_launcher(&launcher, path, "k", NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&launcher), "");
    snprintf(path, sizeof path, "%s/own/k.cu", folder);
    snprintf(wanted, sizeof wanted, "%s/main.cu", folder);
    cr_assert_eq(atx_find_launcher(&launcher, path, "k", NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&launcher), wanted);
    atx_str_clear(&launcher);
}

#define DEEP "1/2/3/4/5/6/7/8"

Test(source_device, the_folder_above_the_working_directory_is_not_searched)
{
    static const char *const PATHS[] = { "k.cu", "./k.cu", "../own/k.cu", "deep/../k.cu", "deep//../k.cu" };
    atx_str launcher = { 0 };
    char own[200];
    for (size_t i = 1; i < sizeof(DEEP); i += 2) { /* a repository of the temporary folder is too far above */
        snprintf(own, sizeof own, "%.*s", (int)i, DEEP);
        make(own);
    }
    make(DEEP "/own");
    make(DEEP "/own/deep");
    put(DEEP "/main.cu", "__global__ void k(float *y);\nint main() { k<<<1, 32>>>(0); }\n");
    put(DEEP "/own/k.cu", "__global__ void k(float *y) { y[threadIdx.x] = 1; }\n");
    snprintf(own, sizeof own, "%s/" DEEP "/own", folder);
    cr_assert_eq(chdir(own), 0);
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        cr_assert_eq(atx_find_launcher(&launcher, PATHS[i], "k", NULL), AT_OK);
        cr_expect_str_eq(atx_str_text(&launcher), "", "%s", PATHS[i]);
    }
    cr_assert_eq(chdir(".."), 0);
    cr_assert_eq(atx_find_launcher(&launcher, "./own/k.cu", "k", NULL), AT_OK);
    cr_expect_str_eq(atx_str_text(&launcher), "main.cu");
    atx_str_clear(&launcher);
    cr_assert_eq(chdir("/"), 0);
}
