/* e2e_support.c - see e2e_support.h. */
#include "e2e_support.h"

#include "compile/nvrtc.h"
#include "db/store_internal.h"
#include "util/clock.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For what hangs: the machine may be busy. */
#define LIMIT_S 420.0 /* a run    */
#define WAIT_S  300.0 /* until it has come so far */

static char folder[64];
static int run_count;

int e2e_few(int count)
{
    return getenv("AUTOTUNE_TEST_ALL") ? count : count / 10;
}

const char *e2e_folder(void)
{
    return folder;
}

static void path_of(char out[200], const char *name)
{
    snprintf(out, 200, "%s/%s", folder, name);
}

void e2e_write(const char *name, const char *text)
{
    char path[200], part[210];
    path_of(path, name);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    cr_assert_not_null(file, "%s: %s", part, strerror(errno));
    fputs(text, file);
    fclose(file);
    cr_assert_eq(rename(part, path), 0, "%s: %s", path, strerror(errno));
}

void e2e_script(const char *text)
{
    char all[8192];
    snprintf(all, sizeof all, "l2 100000\nnoise 0.005\n%s\n", text);
    e2e_write("script", all);
}

static void write_template(void)
{
    char text[2000];
    int at = snprintf(text, sizeof text, "/*!autotune\ntemplate mine\nparam THREADS =");
    for (int threads = 32; threads <= 1024; threads += 32)
        at += snprintf(text + at, sizeof text - (size_t)at, " %d", threads);
    snprintf(text + at, sizeof text - (size_t)at,
             "\ngrid ceil_div(count, THREADS)\nblock THREADS\n*/\n"
             "extern \"C\" __global__ void copy_mine(T *out, const T *in, long long batch, long long rows, "
             "long long cols)\n"
             "{\n"
             "    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;\n"
             "    if (i < batch * rows * cols)\n"
             "        out[i] = in[i];\n"
             "}\n");
    e2e_write("templates/copy/mine.cu", text);
}

static void need_nvrtc(void)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("no NVRTC: %s", err.text);
    atx_nvrtc_close(nvrtc);
}

void e2e_begin(void)
{
    char path[200], all[1024];
    const char *before = getenv("LD_LIBRARY_PATH");

    need_nvrtc();
    TEMPORARY(folder, "e2e");
    cr_assert_not_null(mkdtemp(folder));
    path_of(path, "templates");
    mkdir(path, 0777);
    path_of(path, "templates/copy");
    mkdir(path, 0777);
    write_template();
    e2e_script("");
    snprintf(all, sizeof all, "%s%s%s", AT_DRIVER_FOLDER, before ? ":" : "", before ? before : "");
    setenv("LD_LIBRARY_PATH", all, 1);
    path_of(path, "script");
    setenv("AT_SCRIPT", path, 1);
    path_of(path, "db");
    setenv("AUTOTUNE_DB", path, 1);
    umask(022); /* a cache that a group may write would not be used */
    setenv("AUTOTUNE_CACHE", AT_KERNEL_CACHE, 1);
    snprintf(path, sizeof path, "%s.home", folder); /* a working directory that holds it is not read */
    mkdir(path, 0777);
    setenv("HOME", path, 1);
    setenv("AUTOTUNE_NO_SHIPPED", "1", 1); /* stored results are the test's own */
    setenv("AT_E2E", folder, 1);           /* marks the processes of this test */
    unsetenv("AUTOTUNE_EXE");
}

void e2e_end(void)
{
    char command[200];
    int list[64], count = e2e_processes(list, 64);
    for (int i = 0; i < count; i++)
        kill(list[i], SIGKILL); /* of a test that failed */
    if (!folder[0])
        return;
    snprintf(command, sizeof command, "rm -rf '%s' '%s.home'", folder, folder);
    (void)!system(command);
}

/* ---- runs ---- */

static void redirect(const char *path, int to)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
}

/* The next word, or 'several words'. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " ");
    const bool quoted = *word == '\'';
    word += quoted;
    *rest = word + strcspn(word, quoted ? "'" : " ");
    *rest += **rest ? (**rest = '\0', 1) : 0;
    return *word ? word : NULL;
}

static _Noreturn void become(const char *program, const char *args, const char *out, const char *err,
                             int closed)
{
    char words[1024], *argv[64] = { (char *)"autotune" }, *rest = words;
    snprintf(words, sizeof words, "%s", args);
    for (int argc = 1; argc < 63 && (argv[argc] = next_word(&rest)) != NULL;)
        argc++;
    if (chdir(folder) != 0)
        _exit(126);
    redirect("/dev/null", 0);
    redirect(out, 1);
    redirect(err, 2);
    if (closed >= 0)
        close(closed);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* with a test that had to be ended */
    signal(SIGHUP, SIG_DFL);          /* `nohup` and shells in the background have them ignored */
    signal(SIGINT, SIG_DFL);
    execv(program, argv);
    _exit(127);
}

void e2e_start_without(e2e_run *run, int fd, e2e_program program, const char *args)
{
    char out[64], err[64];
    *run = (e2e_run){ 0 };
    snprintf(run->name, sizeof run->name, "%d", run_count++);
    snprintf(out, sizeof out, "out.%s", run->name);
    snprintf(err, sizeof err, "err.%s", run->name);
    fflush(NULL);
    run->pid = fork();
    cr_assert_geq(run->pid, 0);
    if (run->pid == 0)
        become(program == E2E_QUICK ? AT_QUICK : AT_REAL, args, out, err, fd);
}

void e2e_start(e2e_run *run, e2e_program program, const char *args)
{
    e2e_start_without(run, -1, program, args);
}

static void read_output(char *to, size_t size, const char *kind, const e2e_run *run)
{
    char name[40], path[200];
    snprintf(name, sizeof name, "%s.%s", kind, run->name);
    path_of(path, name);
    FILE *file = fopen(path, "r");
    size_t len = file ? fread(to, 1, size - 1, file) : 0;
    to[len] = '\0';
    if (file)
        fclose(file);
}

void e2e_reap(e2e_run *run)
{
    int status = 0;
    double start_s = atx_now_s();
    pid_t got;
    while ((got = waitpid(run->pid, &status, WNOHANG)) == 0 && atx_now_s() - start_s < LIMIT_S)
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    if (got == 0)
        kill(run->pid, SIGABRT);
    read_output(run->out, sizeof run->out, "out", run);
    read_output(run->err, sizeof run->err, "err", run);
    run->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    e2e_expect(got == run->pid, *run);
    e2e_expect(!strstr(run->err, "Sanitizer") && !strstr(run->err, "runtime error"), *run);
}

void e2e_wait(e2e_run *run)
{
    e2e_reap(run);
    e2e_expect(run->code >= 0 && run->code != 126 && run->code != 127, *run);
}

void e2e_tune(e2e_run *run, e2e_program program, const char *args)
{
    e2e_start(run, program, args);
    e2e_wait(run);
}

/* ---- processes ---- */

/* A file of /proc; NULs become blanks, and one stands before and after. */
static bool read_proc(char *out, size_t size, int pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t len = 1;
    ssize_t got;
    out[0] = ' ';
    while (len < size - 2 && (got = read(fd, out + len, size - 2 - len)) > 0)
        len += (size_t)got;
    close(fd);
    for (size_t i = 1; i < len; i++)
        out[i] = out[i] ? out[i] : ' ';
    out[len] = ' ';
    out[len + 1] = '\0';
    return len > 1;
}

static bool is_ours(int pid)
{
    static char environment[1 << 16];
    char mark[100];
    snprintf(mark, sizeof mark, " AT_E2E=%s ", folder);
    return pid != getpid() && read_proc(environment, sizeof environment, pid, "environ") &&
           strstr(environment, mark);
}

int e2e_processes(int *list, int max)
{
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid <= 0 || !is_ours(pid))
            continue;
        if (list && count < max)
            list[count] = pid;
        count++;
    }
    if (proc)
        closedir(proc);
    return count < max || !list ? count : max;
}

char e2e_role(int pid)
{
    char line[4096];
    if (!read_proc(line, sizeof line, pid, "cmdline"))
        return '?';
    return strstr(line, " __device ") ? 'r' : strstr(line, " __compile ") ? 'w' : 's';
}

void e2e_expect_no_process(void)
{
    int list[1] = { 0 };
    double start_s = atx_now_s();
    while (e2e_processes(list, 1) && atx_now_s() - start_s < 60)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    cr_assert_eq(e2e_processes(list, 1), 0, "process %d (%c) is left", list[0], e2e_role(list[0]));
}

/* ---- waiting until a run has come so far ---- */

bool e2e_has_ended(const e2e_run *run)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == run->pid;
}

/* Between two looks, which read files of every process of the machine; `what` is for the message. */
static void wait_more(const e2e_run *run, double start_s, const char *what)
{
    bool ended = e2e_has_ended(run);
    if (ended || atx_now_s() - start_s > WAIT_S) {
        e2e_run now = *run;
        read_output(now.out, sizeof now.out, "out", run);
        read_output(now.err, sizeof now.err, "err", run);
        cr_assert_fail("it %s before there was: %s\n--- stderr\n%s", ended ? "ended" : "took too long", what,
                       now.err);
    }
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

void e2e_wait_for_file(const e2e_run *run, const char *name)
{
    double start_s = atx_now_s();
    while (!e2e_has_file(name))
        wait_more(run, start_s, name);
}

void e2e_wait_for_said(const e2e_run *run, const char *text)
{
    static char err[sizeof run->err];
    double start_s = atx_now_s();
    while (read_output(err, sizeof err, "err", run), !strstr(err, text))
        wait_more(run, start_s, text);
}

void e2e_wait_for_rows(const e2e_run *run, const char *sql, long count)
{
    double start_s = atx_now_s();
    while (!e2e_has_table("trial") || e2e_count(sql) < count)
        wait_more(run, start_s, sql);
}

/* Processor time of all living processes of a role. */
static double work_of(char role)
{
    int list[64], count = e2e_processes(list, 64);
    long ticks = 0;
    for (int i = 0; i < count; i++) {
        char line[4096];
        long user = 0, kernel = 0;
        if (e2e_role(list[i]) == role && read_proc(line, sizeof line, list[i], "stat") &&
            sscanf(line, " %*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
                   &kernel) == 2)
            ticks += user + kernel;
    }
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

void e2e_wait_for_work(const e2e_run *run, char role, double processor_s)
{
    double start_s = atx_now_s(), before_s = work_of(role);
    while (work_of(role) - before_s < processor_s)
        wait_more(run, start_s, "enough work");
}

static bool is_pending(const e2e_run *run, int signal_number)
{
    char text[4096];
    unsigned long long mask = 0;
    const char *at = read_proc(text, sizeof text, run->pid, "status") ? strstr(text, "ShdPnd:") : NULL;
    return at && sscanf(at, "ShdPnd: %llx", &mask) == 1 && (mask >> (signal_number - 1) & 1);
}

void e2e_signal(const e2e_run *run, int signal_number)
{
    double start_s = atx_now_s();
    cr_assert_eq(kill(run->pid, signal_number), 0);
    while (is_pending(run, signal_number) && !e2e_has_ended(run))
        wait_more(run, start_s, "a handled signal");
}

/* ---- the database ---- */

static sqlite3 *open_db(void)
{
    char path[200];
    sqlite3 *db = NULL;
    path_of(path, "db");
    cr_assert_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    return db;
}

static void expect_text(sqlite3 *db, const char *sql, const char *wanted)
{
    sqlite3_stmt *statement = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    int code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "";
    cr_assert_str_eq(text ? text : "", wanted, "%s: %s", sql, text);
    sqlite3_finalize(statement);
}

void e2e_expect_whole(void)
{
    sqlite3 *db = open_db();
    expect_text(db, "PRAGMA integrity_check", "ok");
    expect_text(db, "PRAGMA foreign_key_check", "");
    sqlite3_close(db);
}

bool e2e_has_file(const char *name)
{
    char path[200];
    path_of(path, name);
    return access(path, F_OK) == 0;
}

bool e2e_has_table(const char *name)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sqlite_schema WHERE name = '%s'", name);
    return e2e_has_file("db") && e2e_count(sql) == 1;
}

void e2e_own_cache(const char *name)
{
    static const char COPY[] = "INSERT INTO cubin SELECT key, cubin, log, '" E2E_UNUSED "' FROM shared.cubin "
                               "WHERE instr(cubin, CAST('verify_' AS BLOB)) > 0";
    char path[300];
    at_error err = { 0 };
    atx_store *cache = NULL;
    snprintf(path, sizeof path, "rm -f '%s/%s' '%s/%s'-*", folder, name, folder, name);
    cr_assert_eq(system(path), 0);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(atx_store_open(&cache, path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    sqlite3_busy_timeout(cache->db, 100000);
    bool copied =
        sqlite3_exec(cache->db, "ATTACH '" AT_KERNEL_CACHE "' AS shared", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(cache->db, COPY, NULL, NULL, NULL) == SQLITE_OK;
    cr_assert(copied, "%s: %s", path, sqlite3_errmsg(cache->db));
    atx_store_close(cache);
    setenv("AUTOTUNE_CACHE", path, 1);
}

long e2e_count(const char *sql)
{
    sqlite3 *db = open_db();
    sqlite3_stmt *statement = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(db));
    bool row = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    long value = row ? (long)sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}
