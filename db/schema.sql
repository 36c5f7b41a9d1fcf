-- schema.sql - the tables and views of autotune's database. The only DDL of the project.
--
-- The program embeds this text and runs it on a new file, in one transaction. A change of this file is a new
-- schema version: raise user_version here and ATX_SCHEMA_VERSION in store.h. What the program reads and writes is
-- in columns.h. The views are the end of the file: store_connection.c makes views of a connection from them.
--
-- Units are part of the names: _s seconds, _bytes, _mib, _mhz, _c degrees Celsius, _w watts. NULL means unknown
-- or not applicable. Times of day are UTC, "2026-11-20T21:52:57Z", so that they sort as text.
--
-- Other programs may rely on the views best, winners_all, trials_all, winner_parameters, trial_parameters,
-- sizes and types, by the names of their columns: columns are added to them, anywhere, never renamed or removed. Tables and
-- the views that end in _rows are the program's own and may change with any version.

PRAGMA application_id = 1096045902; -- 0x4154554E, "ATUN": how autotune knows its own files
PRAGMA user_version = 2;

-- A GPU model, as far as results depend on it.
CREATE TABLE device (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,  -- as the driver calls it, "NVIDIA H200"
    cc         INTEGER NOT NULL,  -- compute capability, 90 for 9.0
    sms        INTEGER NOT NULL,  -- multiprocessors
    memory_mib INTEGER NOT NULL,  -- device memory
    UNIQUE (name, cc, sms, memory_mib)
) STRICT;

-- The conditions of a measurement besides problem and configuration. Figures of different fingerprints are not
-- comparable without care.
CREATE TABLE fingerprint (
    id        INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device (id),
    driver    TEXT    NOT NULL,  -- "580.159.04", or the CUDA version that the driver supports
    nvrtc     TEXT    NOT NULL,  -- version of the run-time compiler, "13.0"
    tool      TEXT    NOT NULL,  -- version of autotune
    cold      INTEGER NOT NULL CHECK (cold IN (0, 1)),  -- 1: inputs outside the L2 cache
    UNIQUE (device_id, driver, nvrtc, tool, cold)
) STRICT;

-- What is tuned for.
CREATE TABLE problem (
    id            INTEGER PRIMARY KEY,
    op            TEXT    NOT NULL,  -- "transpose"
    shape         TEXT    NOT NULL,  -- canonical, "4096x4096"
    type_key      TEXT    NOT NULL,  -- "b4": any type of 4 bytes, where types are only storage; else "f32"
    elements      INTEGER NOT NULL,  -- product of the dimensions
    traffic_bytes INTEGER NOT NULL,  -- what the op must read and write at least
    ops_count     INTEGER NOT NULL DEFAULT 0,  -- operations that count, by the op's `ops`; 0: it has none
    UNIQUE (op, shape, type_key)
) STRICT;

-- A template, by what its file and what that uses mean: comments and indents do not count. Its text is in source.
CREATE TABLE template (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL,  -- "tile_rows"
    hash TEXT NOT NULL,  -- of that meaning
    UNIQUE (name, hash)
) STRICT;

-- Texts of templates and ops as they were when they were measured, so that a stored winner can be exported
-- after its template has changed.
CREATE TABLE source (
    hash      TEXT NOT NULL PRIMARY KEY,  -- of what a template or an op means; else SHA-256 of text
    path      TEXT NOT NULL,              -- where it was read, "templates/transpose/tile_rows.cu"
    text      TEXT NOT NULL,
    stored_at TEXT NOT NULL
) STRICT;

-- One start of the program.
CREATE TABLE run (
    id              INTEGER PRIMARY KEY,
    started_at      TEXT    NOT NULL,
    command         TEXT    NOT NULL,  -- as typed
    strategy        TEXT    NOT NULL,  -- "exhaustive"; "model, settled": winners of searches that ended by themselves
    seed            INTEGER NOT NULL,  -- the 64 bits of the seed, as a signed number
    device_uuid     TEXT    NOT NULL,  -- "GPU-..."; '' when unknown
    host            TEXT    NOT NULL,
    other_processes INTEGER,           -- that used the device when the run began
    ecc_errors      INTEGER            -- uncorrected, from the load of the driver until the run began
) STRICT;

-- One configuration tried on one problem. Tried again under the same fingerprint it replaces its row. One that
-- was timed and fails later, in the re-measurement or in `autotune verify`, has its last outcome, and no time.
CREATE TABLE trial (
    id             INTEGER PRIMARY KEY,
    problem_id     INTEGER NOT NULL REFERENCES problem (id),
    fingerprint_id INTEGER NOT NULL REFERENCES fingerprint (id),
    template_id    INTEGER NOT NULL REFERENCES template (id),
    config         TEXT    NOT NULL,  -- "TILE=32 BLOCK_ROWS=8"
    run_id         INTEGER REFERENCES run (id),  -- the last run that measured it; NULL: imported
    outcome        TEXT    NOT NULL CHECK (outcome IN
        ('timed', 'compile_failed', 'launch_failed', 'wrong_result', 'crashed', 'timed_out')),
    median_s       REAL,              -- one launch, on the device; NULL unless timed
    min_s          REAL,              -- fastest sample
    spread         REAL,              -- (p90 - p10) / median of the samples, no unit
    samples        INTEGER NOT NULL,  -- timed launches, or batches of them for short kernels
    joules         REAL,              -- one launch, the whole device; NULL: not measured
    registers      INTEGER,           -- a thread
    shared_bytes   INTEGER,           -- a block, static and dynamic
    stack_bytes    INTEGER,           -- stack frame of a thread, as ptxas says
    spill_bytes    INTEGER,           -- spill stores and spill loads together, as ptxas says
    local_bytes    INTEGER,           -- local memory of a thread, as the driver says
    compile_s      REAL    NOT NULL,  -- 0: from the cache
    log            TEXT    NOT NULL,  -- of the compiler, the driver or the check; '' when there is none
    source_hash    TEXT    NOT NULL,  -- SHA-256 of the rendered source
    measured_at    TEXT    NOT NULL,
    UNIQUE (problem_id, fingerprint_id, template_id, config),
    CHECK ((outcome = 'timed') = (median_s IS NOT NULL))
) STRICT;

-- The result of tuning one problem once. Every result is kept; the views show the newest. It is invalid, and not
-- shown as the best, when the trial of its configuration has failed since.
CREATE TABLE winner (
    id                 INTEGER PRIMARY KEY,
    problem_id         INTEGER NOT NULL REFERENCES problem (id),
    fingerprint_id     INTEGER NOT NULL REFERENCES fingerprint (id),
    template_id        INTEGER NOT NULL REFERENCES template (id),
    config             TEXT    NOT NULL,
    run_id             INTEGER REFERENCES run (id),  -- NULL: imported; merged: a run "autotune merge" with the strategy
    source_hash        TEXT    NOT NULL,  -- SHA-256 of the rendered source
    op_hash            TEXT    NOT NULL,  -- SHA-256 of the op with all its templates: the space that was searched
    median_s           REAL    NOT NULL,  -- one launch, in the interleaved re-measurement
    min_s              REAL    NOT NULL,
    spread             REAL    NOT NULL,  -- (p90 - p10) / median of the re-measurement's samples, no unit
    samples            INTEGER NOT NULL,
    joules             REAL,              -- one launch, the whole device; NULL: not measured
    ceiling_s          REAL,              -- best plain copy of the same bytes in the same re-measurement
    ceiling_name       TEXT    NOT NULL,  -- which copy that was, "memcpy"; '' when there is none
    ties               TEXT    NOT NULL,  -- configurations that could not be told apart, one a line
    trials             INTEGER NOT NULL,  -- configurations tried
    space_count        INTEGER NOT NULL,  -- valid configurations
    grid_x             INTEGER NOT NULL,  -- launch geometry
    grid_y             INTEGER NOT NULL,
    grid_z             INTEGER NOT NULL,
    block_x            INTEGER NOT NULL,
    block_y            INTEGER NOT NULL,
    block_z            INTEGER NOT NULL,
    shared_bytes       INTEGER NOT NULL,  -- dynamic, a block: the launch needs it
    registers          INTEGER,           -- a thread
    total_shared_bytes INTEGER,           -- a block, static and dynamic
    stack_bytes        INTEGER,           -- stack frame of a thread, as ptxas says
    spill_bytes        INTEGER,           -- spill stores and spill loads together, as ptxas says
    local_bytes        INTEGER,           -- local memory of a thread, as the driver says
    elapsed_s          REAL    NOT NULL,  -- wall time of tuning this problem
    sm_clock_mhz       INTEGER,           -- conditions while it was measured
    memory_clock_mhz   INTEGER,
    temperature_c      INTEGER,
    power_w            INTEGER,
    power_limit_w      INTEGER,           -- that the driver keeps to
    throttle_reasons   INTEGER,           -- NVML's bit mask
    measured_at        TEXT    NOT NULL,
    -- What it was chosen by, "min footprint (footprint = seconds * shared_bytes)"; '': the time.
    objective          TEXT    NOT NULL DEFAULT '',
    -- What "newest" goes by: measured_at, unless that cannot be true, then ''. Such a row goes behind all others.
    rank_at            TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX winner_problem ON winner (problem_id, measured_at);

-- Compiled kernels. Usually in a file of its own (the cache), which may be deleted at any time.
CREATE TABLE cubin (
    key       TEXT NOT NULL PRIMARY KEY,  -- SHA-256 over source, architecture, options, compiler version
    cubin     BLOB NOT NULL,              -- empty when the compiler refused the source
    log       TEXT NOT NULL,              -- of the compiler
    stored_at TEXT NOT NULL               -- or last used, to the day; of a winner's kernel "winner 2026-11-20T..."
) STRICT;                                 -- the order of rowids is that of use: the first goes first

-- Every result of tuning, as the program reads it and as dumps have it.
CREATE VIEW winner_rows AS
SELECT
    p.op                           AS op,
    p.shape                        AS shape,
    p.type_key                     AS type_key,
    d.name                         AS device,
    d.cc                           AS cc,
    d.sms                          AS sms,
    d.memory_mib                   AS memory_mib,
    f.driver                       AS driver,
    f.nvrtc                        AS nvrtc,
    f.tool                         AS tool,
    f.cold                         AS cold,
    t.name                         AS template,
    t.hash                         AS template_hash,
    w.config                       AS config,
    w.median_s                     AS median_s,
    w.min_s                        AS min_s,
    w.spread                       AS spread,
    w.samples                      AS samples,
    w.joules                       AS joules,
    p.traffic_bytes / w.median_s / 1e9 AS gb_per_s,         -- 10^9 bytes
    nullif(p.ops_count, 0) / w.median_s / 1e9 AS gflop_per_s, -- 10^9 operations; NULL: the op has no `ops`
    w.ceiling_s / w.median_s       AS share_of_ceiling,     -- 1.0: as fast as the best copy
    w.ceiling_s                    AS ceiling_s,
    w.ceiling_name                 AS ceiling,
    w.ties                         AS ties,
    w.trials                       AS trials,
    w.space_count                  AS space_count,
    w.grid_x                       AS grid_x,
    w.grid_y                       AS grid_y,
    w.grid_z                       AS grid_z,
    w.block_x                      AS block_x,
    w.block_y                      AS block_y,
    w.block_z                      AS block_z,
    w.shared_bytes                 AS shared_bytes,
    w.registers                    AS registers,
    w.total_shared_bytes           AS total_shared_bytes,   -- static and dynamic
    w.stack_bytes                  AS stack_bytes,
    w.spill_bytes                  AS spill_bytes,
    w.local_bytes                  AS local_bytes,
    w.elapsed_s                    AS elapsed_s,
    w.sm_clock_mhz                 AS sm_clock_mhz,
    w.memory_clock_mhz             AS memory_clock_mhz,
    w.temperature_c                AS temperature_c,
    w.power_w                      AS power_w,
    w.power_limit_w                AS power_limit_w,
    w.throttle_reasons             AS throttle_reasons,
    p.elements                     AS elements,
    p.traffic_bytes                AS traffic_bytes,
    p.ops_count                    AS ops_count,
    w.source_hash                  AS source_hash,
    w.op_hash                      AS op_hash,
    w.objective                    AS objective,            -- '': the time
    w.measured_at                  AS measured_at,
    w.rank_at                      AS rank_at,              -- '': that date cannot be true
    w.run_id                       AS run_id,
    w.id                           AS winner_id,
    NOT EXISTS (                                            -- 0: its configuration has failed since
        SELECT 1 FROM trial x
        WHERE x.problem_id = w.problem_id AND x.fingerprint_id = w.fingerprint_id
          AND x.template_id = w.template_id AND x.config = w.config
          AND x.outcome <> 'timed' AND x.measured_at >= w.rank_at) AS valid
FROM winner w
JOIN problem p     ON p.id = w.problem_id
JOIN fingerprint f ON f.id = w.fingerprint_id
JOIN device d      ON d.id = f.device_id
JOIN template t    ON t.id = w.template_id;

-- One row for each problem and device: the newest winner that is valid, else the newest. Measured cold, if it
-- ever was; a --warm result shows only where there is no other. A date that was in the future when the row or
-- a later one came is not believed. Columns as in winner_rows.
CREATE VIEW newest_rows AS
SELECT a.*
FROM winner_rows a
JOIN winner w      ON w.id = a.winner_id
JOIN fingerprint f ON f.id = w.fingerprint_id
WHERE a.winner_id = (
    SELECT w2.id
    FROM winner w2
    JOIN fingerprint f2 ON f2.id = w2.fingerprint_id
    WHERE w2.problem_id = w.problem_id AND f2.device_id = f.device_id
    ORDER BY EXISTS (
        SELECT 1 FROM trial x
        WHERE x.problem_id = w2.problem_id AND x.fingerprint_id = w2.fingerprint_id
          AND x.template_id = w2.template_id AND x.config = w2.config
          AND x.outcome <> 'timed' AND x.measured_at >= w2.rank_at),
        f2.cold DESC, w2.rank_at DESC, w2.id DESC
    LIMIT 1);

-- The winner to use, at most one row for each problem and device. Columns as in winner_rows.
CREATE VIEW best_rows AS
SELECT * FROM newest_rows WHERE valid;

-- Every trial, likewise.
CREATE VIEW trial_rows AS
SELECT
    p.op                           AS op,
    p.shape                        AS shape,
    p.type_key                     AS type_key,
    d.name                         AS device,
    d.cc                           AS cc,
    d.sms                          AS sms,
    d.memory_mib                   AS memory_mib,
    f.driver                       AS driver,
    f.nvrtc                        AS nvrtc,
    f.tool                         AS tool,
    f.cold                         AS cold,
    t.name                         AS template,
    t.hash                         AS template_hash,
    x.config                       AS config,
    x.outcome                      AS outcome,
    x.median_s                     AS median_s,
    x.min_s                        AS min_s,
    x.spread                       AS spread,
    x.samples                      AS samples,
    x.joules                       AS joules,
    p.traffic_bytes / x.median_s / 1e9 AS gb_per_s,
    nullif(p.ops_count, 0) / x.median_s / 1e9 AS gflop_per_s,
    x.registers                    AS registers,
    x.shared_bytes                 AS shared_bytes,
    x.stack_bytes                  AS stack_bytes,
    x.spill_bytes                  AS spill_bytes,
    x.local_bytes                  AS local_bytes,
    x.compile_s                    AS compile_s,
    x.log                          AS log,
    x.source_hash                  AS source_hash,
    x.measured_at                  AS measured_at,
    x.run_id                       AS run_id,
    x.id                           AS trial_id
FROM trial x
JOIN problem p     ON p.id = x.problem_id
JOIN fingerprint f ON f.id = x.fingerprint_id
JOIN device d      ON d.id = f.device_id
JOIN template t    ON t.id = x.template_id;

-- THE PUBLIC FACE. What is not known is NULL. Filter by op, shape, type_key, device.

-- Every result of tuning.
CREATE VIEW winners_all AS
SELECT
    w.op                           AS op,
    w.shape                        AS shape,
    w.type_key                     AS type_key,
    w.device                       AS device,
    nullif(w.cc, 0)                AS cc,
    nullif(w.sms, 0)               AS sms,
    nullif(w.memory_mib, 0)        AS memory_mib,
    nullif(w.driver, '')           AS driver,
    nullif(w.nvrtc, '')            AS nvrtc,
    nullif(w.tool, '')             AS tool,
    w.cold                         AS cold,
    w.template                     AS template,
    nullif(w.template_hash, '')    AS template_hash,
    w.config                       AS config,
    w.median_s                     AS median_s,
    w.min_s                        AS min_s,
    w.spread                       AS spread,
    w.samples                      AS samples,
    w.joules                       AS energy_j,
    w.gb_per_s                     AS gb_per_s,
    w.gflop_per_s                  AS gflop_per_s,
    w.share_of_ceiling             AS share_of_ceiling,
    w.ceiling_s                    AS ceiling_s,
    nullif(w.ceiling, '')          AS ceiling,
    nullif(w.ties, '')             AS ties,
    w.trials                       AS trials,
    w.space_count                  AS space_count,
    nullif(w.grid_x, 0)            AS grid_x,
    nullif(w.grid_y, 0)            AS grid_y,
    nullif(w.grid_z, 0)            AS grid_z,
    nullif(w.block_x, 0)           AS block_x,
    nullif(w.block_y, 0)           AS block_y,
    nullif(w.block_z, 0)           AS block_z,
    w.shared_bytes                 AS dynamic_shared_bytes,
    w.registers                    AS registers,
    w.total_shared_bytes           AS shared_bytes,
    w.stack_bytes                  AS stack_bytes,
    w.spill_bytes                  AS spill_bytes,
    w.local_bytes                  AS local_bytes,
    w.elapsed_s                    AS elapsed_s,
    w.sm_clock_mhz                 AS sm_clock_mhz,
    w.memory_clock_mhz             AS memory_clock_mhz,
    w.temperature_c                AS temperature_c,
    w.power_w                      AS power_w,
    w.power_limit_w                AS power_limit_w,
    w.throttle_reasons             AS throttle_reasons,
    w.elements                     AS elements,
    w.traffic_bytes                AS traffic_bytes,
    nullif(w.ops_count, 0)         AS ops_count,
    nullif(w.source_hash, '')      AS source_hash,
    nullif(w.op_hash, '')          AS op_hash,
    nullif(w.objective, '')        AS objective,
    w.measured_at                  AS measured_at,
    nullif(w.rank_at, '')          AS rank_at,
    r.strategy                     AS strategy,             -- of the search that found it
    nullif(r.host, '')             AS host,                 -- where it ran
    w.run_id                       AS run_id,
    w.winner_id                    AS winner_id,
    w.valid                        AS valid
FROM winner_rows w
LEFT JOIN run r ON r.id = w.run_id;

-- The winner to use, at most one row for each problem and device. Columns as in winners_all.
CREATE VIEW best AS
SELECT * FROM winners_all WHERE winner_id IN (SELECT winner_id FROM best_rows);

-- Every configuration that was tried.
CREATE VIEW trials_all AS
SELECT
    x.op                           AS op,
    x.shape                        AS shape,
    x.type_key                     AS type_key,
    x.device                       AS device,
    nullif(x.cc, 0)                AS cc,
    nullif(x.sms, 0)               AS sms,
    nullif(x.memory_mib, 0)        AS memory_mib,
    nullif(x.driver, '')           AS driver,
    nullif(x.nvrtc, '')            AS nvrtc,
    nullif(x.tool, '')             AS tool,
    x.cold                         AS cold,
    x.template                     AS template,
    nullif(x.template_hash, '')    AS template_hash,
    x.config                       AS config,
    x.outcome                      AS outcome,
    x.median_s                     AS median_s,
    x.min_s                        AS min_s,
    x.spread                       AS spread,
    x.samples                      AS samples,
    x.joules                       AS energy_j,
    x.gb_per_s                     AS gb_per_s,
    x.gflop_per_s                  AS gflop_per_s,
    x.registers                    AS registers,
    x.shared_bytes                 AS shared_bytes,
    x.stack_bytes                  AS stack_bytes,
    x.spill_bytes                  AS spill_bytes,
    x.local_bytes                  AS local_bytes,
    x.compile_s                    AS compile_s,
    nullif(x.log, '')              AS log,
    nullif(x.source_hash, '')      AS source_hash,
    x.measured_at                  AS measured_at,
    r.strategy                     AS strategy,
    nullif(r.host, '')             AS host,
    x.run_id                       AS run_id,
    x.trial_id                     AS trial_id
FROM trial_rows x
LEFT JOIN run r ON r.id = x.run_id;

-- Configurations taken apart: a row a parameter. `value` is a number, or a word.
CREATE VIEW winner_parameters AS
SELECT
    w.id                           AS winner_id,
    substr(j.value, 1, instr(j.value, '=') - 1) AS name,
    CASE WHEN CAST(CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER) AS TEXT)
            = substr(j.value, instr(j.value, '=') + 1)
         THEN CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER)
         ELSE substr(j.value, instr(j.value, '=') + 1) END AS value
FROM winner w, json_each('["' || replace(replace(replace(w.config, '\', ''), '"', ''), ' ', '","') || '"]') j
WHERE w.config <> '';

CREATE VIEW trial_parameters AS
SELECT
    x.id                           AS trial_id,
    substr(j.value, 1, instr(j.value, '=') - 1) AS name,
    CASE WHEN CAST(CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER) AS TEXT)
            = substr(j.value, instr(j.value, '=') + 1)
         THEN CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER)
         ELSE substr(j.value, instr(j.value, '=') + 1) END AS value
FROM trial x, json_each('["' || replace(replace(replace(x.config, '\', ''), '"', ''), ' ', '","') || '"]') j
WHERE x.config <> '';

-- Shapes taken apart: a row a size, from the left, without pitches, strides and alignments.
CREATE VIEW sizes AS
SELECT
    p.op                           AS op,
    p.shape                        AS shape,
    p.type_key                     AS type_key,
    j.key                          AS position,             -- 0, 1, ...
    CAST(j.value AS INTEGER)       AS value
FROM problem p, json_each('["' || replace(
    substr(p.shape, 1, min(instr(p.shape || '/', '/'), instr(p.shape || '@', '@'), instr(p.shape || ':', ':')) - 1),
    'x', '","') || '"]') j
WHERE p.shape NOT LIKE '%"%' AND p.shape NOT LIKE '%\%';

-- The types of users, and the key that each is stored under: one of its size where an op takes types as storage, and
-- its own name elsewhere.
CREATE VIEW types AS
WITH known (type, bytes) AS (VALUES
    ('u8', 1), ('i8', 1), ('bool', 1), ('f16', 2), ('bf16', 2), ('u16', 2), ('i16', 2), ('f32', 4), ('i32', 4),
    ('u32', 4), ('f64', 8), ('i64', 8), ('u64', 8), ('c64', 8), ('c128', 16))
SELECT type, bytes, 'b' || bytes AS type_key FROM known
UNION ALL
SELECT type, bytes, type FROM known;
