/*
 * columns.h - the list of all stored columns: name, type, and the struct member that holds the value.
 *
 * The lists of INSERT, ON CONFLICT ... SET and SELECT, their parameters, binding, reading, the members of
 * dumps, and the columns that a merge reads are generated from these rows. schema.sql remains the only DDL;
 * tests/unit/db/test_store_columns.c proves that both agree.
 *
 * To store one more figure of a trial or a winner:
 *   1. fill a member of atx_trial_row or atx_winner (lang/record.h, store.h) where the figure is known;
 *   2. add a row here, with its range and the rule for lines of a merge without such a member;
 *   3. add the column to schema.sql (table and view), its user_version, ATX_SCHEMA_VERSION in store.h;
 *   4. show it, and add the column's line to README.md.
 * Nothing else names a column.
 *
 * A row is X(column, shown, kind, member, rule, range): the column's name in its table; its name in views and
 * dumps; its representation in C and SQL (atx_column_kind); the member; the rule of a merge
 * (atx_column_rule); the numbers that it may hold (ATX_RANGES), from any source.
 */
#pragma once

#include "util/fail.h"
#include "util/str.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* What C and SQL call it. Those that may be NULL say what stands for it in C. */
typedef enum atx_column_kind {
    ATX_KIND_TEXT,      /* const char *, TEXT NOT NULL; a NULL pointer is stored as ''               */
    ATX_KIND_CHARS,     /* an array of char, TEXT NOT NULL                                           */
    ATX_KIND_OUTCOME,   /* atx_outcome, its name as TEXT NOT NULL                                    */
    ATX_KIND_BOOL,      /* bool, INTEGER NOT NULL, 0 or 1                                            */
    ATX_KIND_INT,       /* int64_t, INTEGER NOT NULL                                                 */
    ATX_KIND_COUNT,     /* int64_t, INTEGER; below zero: NULL, which is read as -1                   */
    ATX_KIND_REAL,      /* double, REAL NOT NULL                                                     */
    ATX_KIND_SOME_REAL, /* double, REAL; NaN: NULL, which is read as 0                               */
} atx_column_kind;

/* How a merge treats the member of a line. Where none is demanded, the table decides whether it may miss.
 */
typedef enum atx_column_rule {
    ATX_RULE_NEEDED,     /* part of a key: must be there, and as a text not be empty */
    ATX_RULE_PLAIN,      /* as it stands                                             */
    ATX_RULE_OR_ZERO,    /* 0 when it is missing                                     */
    ATX_RULE_OR_EMPTY,   /* '' when it is missing                                    */
    ATX_RULE_ABOVE_ZERO, /* NULL unless it is above zero                             */
} atx_column_rule;

/*
 * R(name, least, most): the numbers that a column may hold. They are wide: no device and no kernel comes near
 * the ends, and what is computed from two of them is still finite.
 *
 * COUNT and MIB end where a double is not exact any more: 2^53, and 2^33 MiB are as many bytes. CC, SMS, MIB:
 * 0 was not recorded. TIME is what figures are divided by; others' times may be in any unit. GRID and BLOCK
 * are CUDA's own limits; 0 where a launch is not known.
 */
#define ATX_RANGES(R)                                                                                        \
    R(TEXT, 0, 0)                                                                                            \
    R(FLAG, 0, 1)                                                                                            \
    R(COUNT, 0, 9007199254740992.0)                                                                          \
    R(SIZE, 0, 9223372036854775807.0)                                                                        \
    R(CC, 0, 9999)                                                                                           \
    R(SMS, 0, 1000000)                                                                                       \
    R(MIB, 0, 8589934592.0)                                                                                  \
    R(TIME, 1e-15, 1e9)                                                                                      \
    R(SECONDS, 0, 1e9)                                                                                       \
    R(JOULES, 0, 1e9)                                                                                        \
    R(SPREAD, 0, 1e9)                                                                                        \
    R(GRID, 0, 2147483647)                                                                                   \
    R(BLOCK, 0, 1024)

typedef enum atx_column_range {
#define ATX_RANGE_NAME(name, least, most) ATX_RANGE_##name,
    ATX_RANGES(ATX_RANGE_NAME)
#undef ATX_RANGE_NAME
} atx_column_range;

/* clang-format off */

/* atx_problem_key, atx_answer; table problem. */
#define ATX_PROBLEM_COLUMNS(X)                                                                                  \
    X(op,                op,                 TEXT,      op,                          NEEDED,     TEXT)          \
    X(shape,             shape,              TEXT,      shape,                       NEEDED,     TEXT)          \
    X(type_key,          type_key,           TEXT,      type_key,                    NEEDED,     TEXT)          \
    X(elements,          elements,           INT,       elements,                    NEEDED,     SIZE)          \
    X(traffic_bytes,     traffic_bytes,      INT,       traffic_bytes,               NEEDED,     SIZE)          \
    X(ops_count,         ops_count,          INT,       ops_count,                   OR_ZERO,    SIZE)

/* atx_fingerprint; tables device and fingerprint. */
#define ATX_DEVICE_COLUMNS(X)                                                                                   \
    X(name,              device,             CHARS,     device,                      NEEDED,     TEXT)          \
    X(cc,                cc,                 INT,       cc,                          NEEDED,     CC)            \
    X(sms,               sms,                INT,       sms,                         NEEDED,     SMS)           \
    X(memory_mib,        memory_mib,         INT,       memory_mib,                  NEEDED,     MIB)
#define ATX_VERSION_COLUMNS(X)                                                                                  \
    X(driver,            driver,             CHARS,     driver,                      PLAIN,      TEXT)          \
    X(nvrtc,             nvrtc,              CHARS,     nvrtc,                       PLAIN,      TEXT)          \
    X(tool,              tool,               CHARS,     tool,                        PLAIN,      TEXT)          \
    X(cold,              cold,               BOOL,      cold,                        NEEDED,     FLAG)
#define ATX_FINGERPRINT_COLUMNS(X) ATX_DEVICE_COLUMNS(X) ATX_VERSION_COLUMNS(X)

/* atx_trial_row, atx_winner; table template, and in trial and winner the configuration. */
#define ATX_KERNEL_COLUMNS(X)                                                                                   \
    X(name,              template,           TEXT,      template_name,               NEEDED,     TEXT)          \
    X(hash,              template_hash,      TEXT,      template_hash,               PLAIN,      TEXT)          \
    X(config,            config,             TEXT,      config,                      PLAIN,      TEXT)

/* atx_trial_row, atx_answer; tables trial and winner. */
#define ATX_TIME_COLUMN(X)                                                                                      \
    X(measured_at,       measured_at,        TEXT,      measured_at,                 NEEDED,     TEXT)

/* atx_answer; table winner. */
#define ATX_RANK_COLUMN(X)                                                                                      \
    X(rank_at,           rank_at,            TEXT,      rank_at,                     PLAIN,      TEXT)

/* atx_trial_row; table trial. */
#define ATX_TRIAL_FIGURES(X)                                                                                    \
    X(outcome,           outcome,            OUTCOME,   outcome,                     PLAIN,      TEXT)          \
    X(median_s,          median_s,           SOME_REAL, timing.median_s,             ABOVE_ZERO, TIME)          \
    X(min_s,             min_s,              SOME_REAL, timing.min_s,                PLAIN,      SECONDS)       \
    X(spread,            spread,             SOME_REAL, timing.spread,               PLAIN,      SPREAD)        \
    X(samples,           samples,            INT,       timing.samples,              PLAIN,      COUNT)         \
    X(joules,            joules,             SOME_REAL, timing.joules,               PLAIN,      JOULES)        \
    X(registers,         registers,          COUNT,     resources.registers,         PLAIN,      COUNT)         \
    X(shared_bytes,      shared_bytes,       COUNT,     resources.shared_bytes,      PLAIN,      COUNT)         \
    X(stack_bytes,       stack_bytes,        COUNT,     resources.stack_bytes,       PLAIN,      COUNT)         \
    X(spill_bytes,       spill_bytes,        COUNT,     resources.spill_bytes,       PLAIN,      COUNT)         \
    X(local_bytes,       local_bytes,        COUNT,     resources.local_bytes,       PLAIN,      COUNT)         \
    X(compile_s,         compile_s,          REAL,      compile_s,                   OR_ZERO,    SECONDS)       \
    X(log,               log,                TEXT,      log,                         OR_EMPTY,   TEXT)          \
    X(source_hash,       source_hash,        TEXT,      source_hash,                 OR_EMPTY,   TEXT)

/* atx_winner; table winner. Its shared_bytes are those that the launch asks for. */
#define ATX_WINNER_FIGURES(X)                                                                                   \
    X(median_s,          median_s,           REAL,      timing.median_s,             ABOVE_ZERO, TIME)          \
    X(min_s,             min_s,              REAL,      timing.min_s,                PLAIN,      SECONDS)       \
    X(spread,            spread,             REAL,      timing.spread,               PLAIN,      SPREAD)        \
    X(samples,           samples,            INT,       timing.samples,              PLAIN,      COUNT)         \
    X(joules,            joules,             SOME_REAL, timing.joules,               PLAIN,      JOULES)        \
    X(ceiling_s,         ceiling_s,          SOME_REAL, ceiling_s,                   PLAIN,      SECONDS)       \
    X(ceiling_name,      ceiling,            TEXT,      ceiling_name,                PLAIN,      TEXT)          \
    X(ties,              ties,               TEXT,      ties,                        PLAIN,      TEXT)          \
    X(trials,            trials,             INT,       trials,                      PLAIN,      COUNT)         \
    X(space_count,       space_count,        INT,       space_count,                 PLAIN,      COUNT)         \
    X(grid_x,            grid_x,             INT,       geometry.grid[0],            PLAIN,      GRID)          \
    X(grid_y,            grid_y,             INT,       geometry.grid[1],            PLAIN,      GRID)          \
    X(grid_z,            grid_z,             INT,       geometry.grid[2],            PLAIN,      GRID)          \
    X(block_x,           block_x,            INT,       geometry.block[0],           PLAIN,      BLOCK)         \
    X(block_y,           block_y,            INT,       geometry.block[1],           PLAIN,      BLOCK)         \
    X(block_z,           block_z,            INT,       geometry.block[2],           PLAIN,      BLOCK)         \
    X(shared_bytes,      shared_bytes,       INT,       geometry.shared_bytes,       PLAIN,      COUNT)         \
    X(registers,         registers,          COUNT,     resources.registers,         PLAIN,      COUNT)         \
    X(total_shared_bytes,total_shared_bytes, COUNT,     resources.shared_bytes,      PLAIN,      COUNT)         \
    X(stack_bytes,       stack_bytes,        COUNT,     resources.stack_bytes,       PLAIN,      COUNT)         \
    X(spill_bytes,       spill_bytes,        COUNT,     resources.spill_bytes,       PLAIN,      COUNT)         \
    X(local_bytes,       local_bytes,        COUNT,     resources.local_bytes,       PLAIN,      COUNT)         \
    X(elapsed_s,         elapsed_s,          REAL,      elapsed_s,                   PLAIN,      SECONDS)       \
    X(sm_clock_mhz,      sm_clock_mhz,       COUNT,     conditions.sm_clock_mhz,     PLAIN,      COUNT)         \
    X(memory_clock_mhz,  memory_clock_mhz,   COUNT,     conditions.memory_clock_mhz, PLAIN,      COUNT)         \
    X(temperature_c,     temperature_c,      COUNT,     conditions.temperature_c,    PLAIN,      COUNT)         \
    X(power_w,           power_w,            COUNT,     conditions.power_w,          PLAIN,      COUNT)         \
    X(power_limit_w,     power_limit_w,      COUNT,     conditions.power_limit_w,    PLAIN,      COUNT)         \
    X(throttle_reasons,  throttle_reasons,   COUNT,     conditions.throttle_reasons, PLAIN,      SIZE)          \
    X(source_hash,       source_hash,        TEXT,      source_hash,                 OR_EMPTY,   TEXT)          \
    X(op_hash,           op_hash,            TEXT,      op_hash,                     OR_EMPTY,   TEXT)          \
    X(objective,         objective,          TEXT,      objective,                   OR_EMPTY,   TEXT)

/* clang-format on */

/* What names a trial or a winner in a dump, in this order: the first members of its lines. */
#define ATX_DUMP_KEY_COLUMNS(X) ATX_PROBLEM_COLUMNS(X) ATX_FINGERPRINT_COLUMNS(X) ATX_KERNEL_COLUMNS(X)

#define ATX_COUNT_COLUMN(name, shown, kind, member, rule, range) +1
enum {
    ATX_PROBLEM_COUNT = 0 ATX_PROBLEM_COLUMNS(ATX_COUNT_COLUMN),
    ATX_DEVICE_COUNT = 0 ATX_DEVICE_COLUMNS(ATX_COUNT_COLUMN),
    ATX_FINGERPRINT_COUNT = 0 ATX_FINGERPRINT_COLUMNS(ATX_COUNT_COLUMN),
    ATX_KERNEL_COUNT = 0 ATX_KERNEL_COLUMNS(ATX_COUNT_COLUMN),
    ATX_DUMP_KEY_COUNT = 0 ATX_DUMP_KEY_COLUMNS(ATX_COUNT_COLUMN),
    ATX_TRIAL_FIGURE_COUNT = 0 ATX_TRIAL_FIGURES(ATX_COUNT_COLUMN),
    ATX_WINNER_FIGURE_COUNT = 0 ATX_WINNER_FIGURES(ATX_COUNT_COLUMN),
};

typedef struct atx_column {
    const char *name, *shown;
    atx_column_kind kind;
    atx_column_rule rule;
    atx_column_range range;
    size_t offset, size; /* of the member */
} atx_column;

/* Its name in the views that other programs read (schema.sql): there a name has one meaning. */
const char *atx_column_public(const atx_column *column);

/* Columns of one struct, in the order of the rows above. */
typedef struct atx_columns {
    const atx_column *items;
    int count;
} atx_columns;

extern const atx_columns atx_problem_columns;                     /* of atx_problem_key             */
extern const atx_columns atx_fingerprint_columns;                 /* of atx_fingerprint: both parts */
extern const atx_columns atx_device_columns, atx_version_columns; /* of atx_fingerprint             */
extern const atx_columns atx_trial_figures, atx_winner_figures;   /* to bind                        */
extern const atx_columns atx_trial_columns;  /* of atx_trial_row: kernel, figures, time; to read         */
extern const atx_columns atx_winner_columns; /* of atx_winner: kernel, figures                           */
extern const atx_columns atx_answer_columns; /* of atx_answer: problem, time                             */
extern const atx_columns atx_line_columns;   /* of no struct: dump key and time, as a merge checks them  */

/* Binds the record's members to the parameters from `first` (1: the first) on. Texts are not copied. Returns
 * an SQLite code. */
int atx_columns_bind(sqlite3_stmt *s, int first, const atx_columns *columns, const void *record);

/* Is each number of the record in its range? Else *err says "COLUMN: found ...; expected ...". What stands
 * for NULL is in every range. */
at_status atx_columns_check(const atx_columns *columns, const void *record, at_error *err) AT_MUST_CHECK;

/* The same of one column of the current row. A number where none is expected, or none where one is, is out
 * of range as well, and so is a text that its member has no room for. */
at_status atx_column_check(const atx_column *column, sqlite3_stmt *s, int index, at_error *err) AT_MUST_CHECK;

/* Reads the columns of the current row from `first` (0: the first) on. Texts are borrowed until the next
 * step. Returns the index of the column behind them. */
int atx_columns_read(void *record, const atx_columns *columns, sqlite3_stmt *s, int first);

/*
 * A record as bytes that are read where they lie: texts with the zero at their end, each other member in
 * eight bytes, little-endian. Reading borrows texts from the bytes, and returns what follows. Bytes are
 * trusted: our own.
 */
void atx_columns_pack(atx_str *out, const atx_columns *columns, const void *record);
const unsigned char *atx_columns_unpack(void *record, const atx_columns *columns, const unsigned char *bytes);

/* Replaces the record's texts by copies; false: some are NULL now, out of memory. NULL is copied as "". */
bool atx_columns_own(void *record, const atx_columns *columns);

/* Frees the record's texts. */
void atx_columns_free(void *record, const atx_columns *columns);
