/* test_source.c - templates around code that was not written for them: what is read, gathered and rendered.
 */
#include "source_support.h"

#include "declare/declare_gather.h"
#include "lang/render_pragmas.h"
#include "source/paths.h"

static void begin(void)
{
    begin_folder();
    make("inc");
}

TestSuite(source, .init = begin, .fini = end);

/* ---- one text from several files ---- */

Test(source, includes_are_put_in_place_of_their_lines)
{
    atx_op *op = read_op(MINI_OP);
    char lines[800];
    put("k.cu", "#include \"inc/a.h\"\n#include <cuda_fp16.h>\nvoid k();\n");
    put("inc/a.h", "int a;\n# include \"b.h\" // beside this one\nint after_b;\n");
    put("inc/b.h", "int b;");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END);
    char *text = render(t, "");
    snprintf(lines, sizeof lines,
             "#line 1 \"%s/inc/a.h\"\nint a;\n#line 1 \"%s/inc/b.h\"\nint b;\n#line 3 \"%s/inc/a.h\"\n"
             "int after_b;\n#line 2 \"%s/k.cu\"\n#include <cuda_fp16.h>\nvoid k();\n#line 1 \"%s/op/t.cu\"\n",
             folder, folder, folder, folder, folder);
    expect_text(text, lines);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

static const char *const NO_INCLUDES[] = {
    "// #include \"inc/a.h\"\n",
    "/*\n#include \"inc/a.h\"\n*/\n",
    "const char *s = \"/*\"; /*\n#include \"inc/a.h\"\n*/\n",
    "#include \"inc/none.h\"\n",
    "#include \"inc\"\n",
    "#include FILE\n",
    "#include <inc/a.h>\n",
    "#include \"/etc/hostname\"\n",
    "#include_next \"inc/a.h\"\n",
    "int x = 1'000; // '\n//#include \"inc/a.h\"\n",
    "// joined \\\n#include \"inc/a.h\"\n",
    "const char *s = R\"(\n#include \"inc/a.h\"\n)\";\n",
    "#if 0\n#include \"inc/a.h\"\n#endif\n",
};

Test(source, other_lines_stay_as_they_are)
{
    atx_op *op = read_op(MINI_OP);
    put("inc/a.h", "int a;\n");
    for (size_t i = 0; i < sizeof NO_INCLUDES / sizeof *NO_INCLUDES; i++) {
        put("k.cu", NO_INCLUDES[i]);
        atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END);
        char *text = render(t, "");
        expect_text(text, NO_INCLUDES[i]);
        free(text);
        atx_template_close(t);
    }
    atx_op_close(op);
}

/* However it is spelled; the lines behind it keep their numbers. */
Test(source, includes_are_known_in_any_spelling)
{
    static const struct {
        const char *text;
        int next;
    } CASES[] = {
        { "#inc\\\nlude \\\r\n\"inc/a.h\"\nint next;\n", 4 },
        { "/* two\nlines */ #include \"inc/a.h\" /* two\nlines */\nint next;\n", 4 },
        { "\xef\xbb\xbf%: include \"inc/a.h\"\nint next;\n", 2 },
    };
    atx_op *op = read_op(MINI_OP);
    put("inc/a.h", "int a;\n");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char lines[400];
        put("k.cu", CASES[i].text);
        atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END);
        char *text = render(t, "");
        snprintf(lines, sizeof lines, "#line 1 \"%s/inc/a.h\"\nint a;\n#line %d \"%s/k.cu\"\nint next;\n",
                 folder, CASES[i].next, folder);
        expect_text(text, lines);
        free(text);
        atx_template_close(t);
    }
    atx_op_close(op);
}

Test(source, folders_of_headers_are_looked_through)
{
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#include <a.h>\n#include \"a.h\"\n");
    put("inc/a.h", "int a;\n");
    atx_template *t =
        must_read(op, "/*!autotune\ntemplate t\ninclude ../inc\nsource ../k.cu\nkernel k\n" END);
    cr_assert_eq(t->text.part_count, 3);
    cr_assert_null(strstr(t->text.source, "#include"));
    atx_template_close(t);
    atx_op_close(op);
}

/* `#pragma once` has no meaning within one text; a guarded circle is no circle. */
Test(source, guards_do_what_they_did)
{
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#include \"inc/a.h\"\n#include \"inc/a.h\"\n#include \"inc/c.h\"\n");
    put("inc/a.h", "#pragma once\nint a;\n#include \"a.h\"\n");
    put("inc/c.h", "#ifndef C\n#define C\n#include \"d.h\"\n#endif\n");
    put("inc/d.h", "#if !defined(D)\n#define D\n#include \"c.h\"\n#endif\n");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END);
    char *text = render(t, "");
    cr_assert_null(strstr(text, "#pragma"));
    cr_assert_null(strstr(text, "#include"));
    expect_text(text, "#ifndef AUTOTUNE_ONCE_");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* Behind a header whose last line has no end the next one begins a line all the same. */
Test(source, a_header_may_end_without_a_newline)
{
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#include \"inc/a.h\"\n__global__ void k(int *y) { *y = A + B; }\n");
    put("inc/a.h", "#pragma once\n#include \"b.h\"\nenum { A = 1 };");
    put("inc/b.h",
        "#ifndef B_H\n#define B_H\nenum { B = 2 };\n#ifdef OTHER \\\n\n\n\n\n\n\n\n\n\n#endif\n#endif");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu device\nkernel k\n" END);
    char *text = render(t, "");
    expect_text(text, "#ifdef OTHER \\\n\n"); /* no line of ours is joined to it */
    expect_text(text, "\nenum { A = 1 };\n");
    expect_text(text, "\n#endif\n");
    expect_text(text, "\n__global__ void k(int *y)");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* Of the bundled headers only the parts stay that kernels reach. */
Test(source, a_kernel_that_needs_no_stand_ins_has_none)
{
    static const char *const USED[][2] = { { "*y = 1;", NULL },
                                           { "*y = std::clamp(*y, 0, 1);", "clamp" },
                                           { "*y = at::ceil_div(*y, 2);", "ceil_div" },
                                           { "*y = CUDA_VERSION;", "CUDA_VERSION" } };
    atx_op *op = read_op(MINI_OP);
    for (size_t i = 0; i < sizeof USED / sizeof *USED; i++) {
        char code[100];
        snprintf(code, sizeof code, "using namespace at;\n__global__ void k(int *y) { %s }\n", USED[i][0]);
        put("k.cu", code);
        atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu device\nkernel k\n" END);
        char *text = render(t, "");
        cr_expect_eq(strstr(text, "autotune/host.h") != NULL, USED[i][1] != NULL, "%s", text);
        cr_expect(!USED[i][1] || strstr(strstr(text, "autotune/host.h"), USED[i][1]), "%s", text);
        cr_expect_null(strstr(text, "numeric_limits"), "%s", text);
        cr_expect_eq(strstr(text, "namespace at {") != NULL,
                     strstr(text, "using namespace at;\n__gl") != NULL, "%s", text);
        free(text);
        atx_template_close(t);
    }
    atx_op_close(op);
}

/* Each of 24 headers includes the next one twice: 16 million times the last one, if all were read. */
Test(source, a_guarded_header_is_read_once_in_a_branch)
{
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#if MORE\n#include \"inc/h0.h\"\n#else\n#include \"inc/h1.h\"\n#endif\n"
                "__global__ void k(int *y) { *y = LAST; }\n");
    for (int i = 0; i < 24; i++) {
        char name[32], text[200];
        snprintf(name, sizeof name, "inc/h%d.h", i);
        snprintf(text, sizeof text, "#pragma once\n#include \"h%d.h\"\n#include \"h%d.h\"\n", i + 1, i + 1);
        put(name, text);
    }
    put("inc/h24.h", "#pragma once\nenum { LAST = 24 };\n");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu device\nkernel k\n" END);
    char *text = render(t, "");
    const char *first = strstr(text, "LAST = 24");
    cr_assert(first && strstr(first + 1, "LAST = 24"), "once in each of the two branches");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* The stored text needs none of the files, and has the hash of their contents. */
Test(source, a_stored_text_brings_its_sources_along)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *stored = NULL;
    char path[200];
    put("k.cu", "#include \"inc/a.h\"\nvoid k();\n");
    put("inc/a.h", "int a;\n");
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END);
    snprintf(path, sizeof path, "%s/k.cu", folder);
    unlink(path);
    cr_assert_eq(atx_template_read(&stored, op, t->text.source, t->text.source_len, t->text.file, NULL),
                 AT_OK);
    cr_assert_str_eq(stored->text.hash, t->text.hash);
    char *one = render(t, ""), *other = render(stored, "");
    cr_assert_str_eq(one, other);
    free(one);
    free(other);
    atx_template_close(stored);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source, a_changed_header_changes_the_hash)
{
    static const char TEXT[] = "/*!autotune\ntemplate t\nsource ../k.cu\nkernel k\n" END;
    atx_op *op = read_op(MINI_OP);
    put("k.cu", "#include \"inc/a.h\"\n");
    put("inc/a.h", "int a;\n");
    atx_template *before = must_read(op, TEXT);
    put("inc/a.h", "int b;\n");
    atx_template *after = must_read(op, TEXT);
    cr_assert_str_neq(before->text.hash, after->text.hash);
    atx_template_close(before);
    atx_template_close(after);
    atx_op_close(op);
}

/* ---- macros, options, names ---- */

#define ALL                                                                                                  \
    "/*!autotune\ntemplate t\nparam N = 8 16\nparam V = float float2\nparam F = false true\n"                \
    "param S = -3\nconst C = N * 2\nlet L = 5000000000\ndefine W = N + 1\ndefine L rows T\n"                 \
    "option -use_fast_math = F\noption -maxrregcount=N\nkernel ns::k<V, N, C, T>\n"

Test(source, everything_is_a_macro)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, ALL "define all\n" END "void k() {}\n");
    char *text = render(t, "N=16 V=float2 F=true S=-3");
    expect_text(text, "//!autotune option -use_fast_math\n//!autotune option -maxrregcount=16\n"
                      "//!autotune kernel ns::k<float2, 16, 32, T>\n#define AUTOTUNE_RENDERED 1\n");
    expect_text(text,
                "#define N 16\n#define V float2\n#define F 1\n#define S (-3)\n#define C 32\n#define W 17\n"
                "#define L 5000000000LL\n#define rows 64\n#define T unsigned int\n");
    cr_expect_null(strstr(text, "constexpr"));
    free(text);
    text = render(t, "N=8 V=float F=false S=-3");
    expect_text(text, "#define F 0\n");
    cr_expect_null(strstr(text, "//!autotune option -use"));
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source, what_is_no_macro_stays_a_constant)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, ALL "define F\n" END "void k() {}\n");
    char *text = render(t, "N=16 V=float2 F=true S=-3");
    expect_text(text,
                "constexpr int N = 16;\nenum { V_float = 0, V_float2 = 1 };\nconstexpr int V = V_float2;\n");
    expect_text(text, "#define W 17\n");
    expect_text(text, "#define F 1\n");
    expect_text(text, "//!autotune kernel ns::k<V, N, C, T>\n");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source, true_is_1_and_false_is_0_in_any_order)
{
    atx_op *op = read_op(MINI_OP);
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config config;
    atx_template *t = read_template(
        op, MINI_TEMPLATE("param F = true false\nparam G = false\nconst SUM = F * 10 + (F == F_true) + G\n"
                          "grid 1\nblock 1\n"));
    bind_problem(slots, op, 64, 64);
    cr_assert_eq(atx_config_parse(&config, t, "F=true G=false", NULL), AT_OK);
    cr_assert_eq(atx_config_bind(slots, t, &config, NULL), AT_OK);
    cr_assert_eq(slots[t->scope.lets[0].slot], 11);
    char *text = render(t, "F=true G=false");
    expect_text(text, "enum { F_true = 1, F_false = 0 };\nconstexpr int F = F_true;\n");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source, the_kernel_takes_the_arguments_it_names)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = must_read(op, "/*!autotune\ntemplate t\narg x y half\n" END "void mini_t() {}\n");
    cr_assert_eq(t->call.steps[0].arg_count, 3);
    cr_assert(t->call.steps[0].args[0] == 1 && t->call.steps[0].args[1] == 0 &&
              t->call.steps[0].args[2] == 3 && t->call.step_count == 1);
    atx_template_close(t);
    t = must_read(op, "/*!autotune\ntemplate t\n" END "void mini_t() {}\n");
    cr_assert(t->call.steps[0].arg_count == op->arg_count && t->call.steps[0].args[3] == 3);
    atx_template_close(t);
    atx_op_close(op);
}

Test(source, launches_have_their_own_geometry_and_arguments)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t =
        must_read(op, "/*!autotune\ntemplate t\nparam N = 2\nlaunch f<(N > 1), 3> grid N block 8 N\n"
                      "launch g grid 3 block 1 shared N * 4 arg half y\narg x\n*/\nf g\n");
    cr_assert_str_eq(t->call.steps[0].kernel, "f<(N > 1), 3>");
    cr_assert(t->call.steps[0].expression && t->call.steps[0].arg_count == 1 &&
              t->call.steps[0].args[0] == 1);
    cr_assert_eq(t->call.step_count, 2);
    cr_assert_str_eq(t->call.steps[1].kernel, "g");
    cr_assert_str_eq(atx_expr_text(t->call.steps[0].launch.block[1]), "N");
    cr_assert_str_eq(atx_expr_text(t->call.steps[1].launch.shared), "N * 4");
    cr_assert(t->call.steps[1].arg_count == 2 && t->call.steps[1].args[0] == 3 &&
              t->call.steps[1].args[1] == 0);
    char *text = render(t, "N=2");
    expect_text(text, "//!autotune kernel f<(N > 1), 3>\n#define AUTOTUNE_RENDERED");
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* Orders stand in the first comments; nothing behind them is one, and no order names a file. */
Test(source, only_the_head_gives_orders)
{
    atx_pragmas orders;
    cr_assert_eq(atx_pragmas_read(&orders,
                                  "// head\n//!autotune option -fmad=false\n//!autotune option -include=x\n"
                                  "//!autotune kernel f<1>\nint x;\n//!autotune kernel g\n",
                                  NULL),
                 AT_OK);
    cr_assert_eq(orders.option_count, 1);
    cr_assert_str_eq(orders.options[0], "-fmad=false");
    cr_assert_eq(orders.kernel_count, 1);
    cr_assert_str_eq(orders.kernels[0], "f<1>");
    atx_pragmas_clear(&orders);
}

/* ---- mistakes ---- */

static const struct {
    const char *lines, *message;
} BAD[] = {
    { "source\n", "t.cu:3:7: found the end of the line; expected a file" },
    { "source nowhere.cu\n", "t.cu:3:8: cannot read " },
    { "source ../op\n", "op: expected a file" },
    { "source ../circle.cu\n", "circle.cu:2:1: found " },
    { "source ../nul.cu\n", "nul.cu:1:2: found a NUL byte; expected text" },
    { "source ../asks.cu\n", "asks.cu:1:1: " },
    { "source ../end.cu\n", "end.cu:2:4: found byte 0xff, where NVRTC would take the file to end" },
    { "include\n", "found the end of the line; expected a folder" },
    { "define\n", "found the end of the line; expected the name of a macro, or 'all'" },
    { "define M\n",
      "t.cu:3:8: found 'M', which nothing above declares; expected a known name, or 'M = EXPR'" },
    { "define M = rows +\n", "t.cu:3:18: " },
    { "define rows rows\n", "t.cu:3:13: found 'rows' a second time" },
    { "define all 1\n", "found '1'; expected the end of the line" },
    { "option\n", "expected an option of the compiler" },
    { "option -o=x\n", "t.cu:3:8: found the option '-o=x'; expected one of -use_fast_math" },
    { "option --pre-include=/etc/passwd\n", "found the option '--pre-include=/etc/passwd'" },
    { "option -use_fast_math 1\n", "found '1'; expected '= EXPR', which says when" },
    { "arg\n", "expected an argument of the operation" },
    { "arg z\n", "t.cu:3:5: found 'z'; expected an argument of the operation mini (op.cu:7)" },
    { "arg x\narg y\n", "found a second 'arg' line" },
    { "kernel 1\n", "t.cu:3:8: found '1'; expected the name of a kernel" },
    { "kernel f g\n", "t.cu:3:10: found 'g'; expected the end of the line" },
    { "launch\n", "t.cu:3:7: found the end of the line; expected the name of a kernel" },
    { "launch f\n", "found the end of the line; expected 'grid'" },
    { "launch f block 1\n", "found 'block'; expected 'grid'" },
    { "launch f grid 1\n", "found the end of the line; expected 'block'" },
    { "launch f grid 1 1 1 1 block 1\n", "found '1'; expected 'block', 'shared', 'cluster'" },
    { "launch f grid 1 block 1 shared\n", "t.cu:3:31: " },
    { "launch f grid 1 block 1 arg z\n", "found 'z'; expected an argument of the operation" },
    { "kernel f\nlaunch f grid 1 block 1\n", "found a launch beside a 'kernel' line; expected one of them" },
    { "launch f grid 1 block 1\n", "t.cu:4:1: found a 'grid' line beside a launch" },
    { "kernel f<\"\">\n", "found a character that no kernel's name has" },
};

Test(source, explains_mistakes)
{
    atx_op *op = read_op(MINI_OP);
    char path[200];
    put("circle.cu", "int x;\n#include \"circle.cu\"\n");
    put("asks.cu", "#include \"nul.cu\"\n");
    snprintf(path, sizeof path, "%s/nul.cu", folder);
    FILE *file = fopen(path, "w");
    fwrite("a\0b", 1, 3, file);
    fclose(file);
    put("end.cu", "int x; /* y */\n// \xff\n");
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char text[600];
        at_error err = { 0 };
        atx_template *t = NULL;
        snprintf(text, sizeof text, "/*!autotune\ntemplate t\n%s" END "void mini_t() {}\n", BAD[i].lines);
        cr_expect_eq(read_here(&t, op, text, &err), AT_ERR_INPUT, "%s", BAD[i].lines);
        cr_expect(strstr(err.text, BAD[i].message), "%s\n%s\n%s", BAD[i].lines, BAD[i].message, err.text);
        atx_template_close(t);
    }
    atx_op_close(op);
}

/* A text from a store or a recording must not make this machine's files known. */
Test(source, a_text_from_elsewhere_reads_no_file)
{
    static const char TEXT[] = "/*!autotune\ntemplate t\nsource /etc/hostname\nkernel k\n" END;
    atx_op *op = read_op(MINI_OP);
    atx_template *t = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_template_read(&t, op, TEXT, strlen(TEXT), "t.cu", &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, "t.cu:3:8: found the source '/etc/hostname' without its text"), "%s",
              err.text);
    atx_op_close(op);
}

Test(source, names_are_shown_from_where_the_template_is_seen)
{
    static const char *const ROWS[][3] = {
        { "dir/op/t.cu", "../../a.cu", "a.cu" },  { "dir/op/t.cu", "../a.cu", "dir/a.cu" },
        { "t.cu", "../a.cu", "../a.cu" },         { "../op/t.cu", "../../a.cu", "../../a.cu" },
        { "/x/t.cu", "./b//a.cu", "/x/b/a.cu" },  { "t.cu", "/abs/a.cu", "/abs/a.cu" },
        { "/t.cu", "../../a.cu", "/../../a.cu" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        atx_str out = { 0 };
        atx_beside(&out, ROWS[i][0], ROWS[i][1]);
        cr_expect_str_eq(atx_str_text(&out), ROWS[i][2]);
        atx_str_clear(&out);
    }
}

/* ---- headers beside a template without a source line ---- */

#define BESIDE "/*!autotune\ntemplate t\nkernel k\n" END

static void hash_of(char out[ATX_HASH_TEXT], const atx_op *op, const char *text)
{
    atx_template *t = must_read(op, text);
    memcpy(out, t->text.hash, ATX_HASH_TEXT);
    atx_template_close(t);
}

/* Otherwise a winner would stand for code that it was not measured with. */
Test(source, a_header_beside_a_template_belongs_to_its_hash)
{
    static const char TEXT[] = BESIDE "#include \"a.h\"\nextern \"C\" __global__ void k() {}\n";
    atx_op *op = read_op(MINI_OP);
    char before[ATX_HASH_TEXT], after[ATX_HASH_TEXT];
    put("op/a.h", "#include \"b.h\"\n");
    put("op/b.h", "int one;\n");
    hash_of(before, op, TEXT);
    hash_of(after, op, TEXT);
    cr_assert_str_eq(before, after);
    put("op/b.h", "int two;\n");
    hash_of(after, op, TEXT);
    cr_assert_str_neq(before, after);
    atx_op_close(op);
}

Test(source, a_header_beside_a_template_keeps_its_lines)
{
    atx_op *op = read_op(MINI_OP);
    char lines[800];
    put("op/a.h", "int a;");
    atx_template *t = must_read(op, BESIDE "#include \"a.h\"\nextern \"C\" __global__ void k() {}\n");
    char *text = render(t, "");
    snprintf(lines, sizeof lines,
             "#line 1 \"%s/op/a.h\"\nint a;\n#line 8 \"%s/op/t.cu\"\nextern \"C\" __global__ void k() {}\n",
             folder, folder);
    expect_text(text, lines);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* The stored text compiles where the header is not, and is the same template. */
Test(source, a_stored_template_brings_its_headers_along)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *again = NULL;
    at_error err = { 0 };
    put("op/a.h", "\xef\xbb\xbf#pragma once\nint a;");
    atx_template *t = must_read(op, BESIDE "#include \"a.h\"\nextern \"C\" __global__ void k() {}\n");
    cr_assert_null(strstr(t->text.source, "#include"));
    cr_assert_null(strstr(t->text.source, "\xef\xbb\xbf"));
    cr_assert_eq(atx_template_read(&again, op, t->text.source, t->text.source_len, "t.cu", &err), AT_OK, "%s",
                 err.text);
    cr_assert_str_eq(again->text.hash, t->text.hash);
    atx_template_close(again);
    atx_template_close(t);
    atx_op_close(op);
}

/* Missing files, and lines that only editors see. */
Test(source, other_headers_stay_lines_of_a_template)
{
    static const char *const LINES[] = {
        "#include \"none.h\"\n",
        "#ifndef AUTOTUNE_RENDERED\n#if 1\n#endif\n#include \"b.h\"\n#endif\n",
    };
    atx_op *op = read_op(MINI_OP);
    char text[400];
    put("op/b.h", "int b;\n");
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        snprintf(text, sizeof text, BESIDE "%sextern \"C\" __global__ void k() {}\n", LINES[i]);
        atx_template *t = must_read(op, text);
        cr_expect_str_eq(t->text.source, text);
        atx_template_close(t);
    }
    snprintf(text, sizeof text, BESIDE "%s",
             "#ifndef AUTOTUNE_RENDERED\n#else\n#include \"b.h\"\n#endif\nvoid k();\n");
    atx_template *t = must_read(op, text);
    expect_text(t->text.source, "#else\nint b;\n#endif\n");
    atx_template_close(t);
    atx_op_close(op);
}

/* Each includes the next one twice: 18 levels are a quarter of a million inclusions, of nothing. */
Test(source, inclusions_that_double_end_at_the_size_limit)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = NULL;
    at_error err = { 0 };
    for (int i = 0; i < 18; i++) {
        char name[20], text[60];
        snprintf(name, sizeof name, "op/h%d.h", i);
        snprintf(text, sizeof text, "#include \"h%d.h\"\n#include \"h%d.h\"\n", i + 1, i + 1);
        put(name, text);
    }
    put("op/h18.h", "");
    cr_assert_eq(read_here(&t, op, BESIDE "#include \"h0.h\"\nextern \"C\" __global__ void k() {}\n", &err),
                 AT_ERR_INPUT);
    cr_assert(strstr(err.text, "found more than 1048576 bytes in its sources"), "%s", err.text);
    atx_op_close(op);
}

/* ---- files that a template may not read ---- */

/* `inc` is beside the folder of templates, which is `op`. */
static const struct {
    const char *lines, *code, *says;
} OUTSIDE[] = {
    { "source ../inc/secret.h\n", "", "t.cu:3:8: " },
    { "source link.h\n", "", "t.cu:3:8: " },
    { "source inner.h\n", "", "inner.h:1:1: " },
    { "source ..\n", "", "t.cu:3:8: " },
    { "source /etc/hostname\n", "", "t.cu:3:8: /etc/hostname: found a file outside of the folder" },
    { "include ../inc\nsource k.cu\n", "", "t.cu:3:9: " },
    { "include /\nsource k.cu\n", "", "t.cu:3:9: " },
    { "include up\nsource k.cu\n", "", "t.cu:3:9: " },
    { "", "#include \"../inc/secret.h\"\n", "t.cu:7:1: " },
    { "", "#include \"link.h\"\n", "t.cu:7:1: " },
    { "", "#include \"up/inc/secret.h\"\n", "t.cu:7:1: " },
};

Test(source, no_line_of_a_template_reads_a_file_outside_of_its_folder)
{
    char path[200], text[400], root[100];
    atx_op *op = read_op(MINI_OP);
    put("inc/secret.h", "int secret_word;\n");
    put("op/k.cu", "extern \"C\" __global__ void k() {}\n");
    put("op/inner.h", "#include \"../inc/secret.h\"\n");
    snprintf(path, sizeof path, "%s/op/link.h", folder);
    cr_assert_eq(symlink("../inc/secret.h", path), 0);
    snprintf(path, sizeof path, "%s/op/up", folder);
    cr_assert_eq(symlink("..", path), 0);
    snprintf(root, sizeof root, "%s/op", folder);
    for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; i++) {
        atx_template *t = NULL;
        at_error err = { 0 };
        snprintf(text, sizeof text, "/*!autotune\ntemplate t\n%skernel k\n" END "%svoid k();\n",
                 OUTSIDE[i].lines, OUTSIDE[i].code);
        cr_expect_eq(read_below(&t, op, text, root, &err), AT_ERR_INPUT, "%zu", i);
        cr_expect(strstr(err.text, OUTSIDE[i].says) && strstr(err.text, "--allow /") &&
                      !strstr(err.text, "secret_word"),
                  "%zu: %s", i, err.text);
    }
    atx_op_close(op);
}
