/*
 * statements.h - every SQL statement of the store, by name; prepared on first use and kept. Tables and views
 * are in schema.sql.
 *
 * A row is X(NAME, "sql"). Parameters are numbered in the order in which at__store_bind is given them.
 */
#ifndef AUTOTUNE_STATEMENTS_H
#define AUTOTUNE_STATEMENTS_H

/* clang-format off */

/* Column lists that a statement and its reader must agree on. */
#define AT__SQL_FINGERPRINT_COLUMNS "device, cc, sms, memory_mib, driver, nvrtc, tool, cold"

#define AT__SQL_WINNER_COLUMNS                                                                         \
    "template, template_hash, config, source_hash, op_hash, median_s, min_s, spread, samples, ceiling_s, "  \
    "ceiling, ties, trials, space_count, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, " \
    "registers, elapsed_s, sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, throttle_reasons, "      \
    "op, shape, type_key, measured_at, traffic_bytes, " AT__SQL_FINGERPRINT_COLUMNS

#define AT__SQL_TRIAL_COLUMNS                                                                          \
    "template, template_hash, config, outcome, median_s, min_s, spread, samples, registers, "          \
    "shared_bytes, spill_bytes, compile_s, log, source_hash, measured_at, " AT__SQL_FINGERPRINT_COLUMNS

/* The first columns of trials and winners in a dump; at__store_merge reads them in this order. */
#define AT__SQL_DUMP_KEY                                                                               \
    "op, shape, type_key, elements, traffic_bytes, " AT__SQL_FINGERPRINT_COLUMNS                       \
    ", template, template_hash, config"

#define AT__SQL_IS_PROBLEM "op = ?1 AND shape = ?2 AND type_key = ?3"
#define AT__SQL_IS_FINGERPRINT                                                                         \
    "device = ?4 AND cc = ?5 AND sms = ?6 AND memory_mib = ?7 AND driver = ?8 AND nvrtc = ?9 "         \
    "AND tool = ?10 AND cold = ?11"

/* Winners that were merged belong to a run of this name with the strategy that found them: one for each. */
#define AT__MERGE_COMMAND "autotune merge"

#define AT__STATEMENTS(X)                                                                              \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                        \
    X(COMMIT, "COMMIT")                                                                                \
    X(ROLLBACK, "ROLLBACK")                                                                            \
    X(GET_VERSION, "PRAGMA user_version")                                                              \
    X(COUNT_VIEWS,                                                                                     \
      "SELECT count(*) FROM sqlite_schema WHERE type = 'view' "                                        \
      "AND name IN ('best', 'winners_all', 'trials_all')")                                             \
                                                                                                       \
    X(ADD_DEVICE,                                                                                      \
      "INSERT INTO device (name, cc, sms, memory_mib) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING") \
    X(ADD_FINGERPRINT,                                                                                 \
      "INSERT INTO fingerprint (device_id, driver, nvrtc, tool, cold) "                                \
      "SELECT id, ?5, ?6, ?7, ?8 FROM device "                                                         \
      "WHERE name = ?1 AND cc = ?2 AND sms = ?3 AND memory_mib = ?4 ON CONFLICT DO NOTHING")           \
    X(FINGERPRINT_ID,                                                                                  \
      "SELECT f.id FROM fingerprint f JOIN device d ON d.id = f.device_id "                            \
      "WHERE d.name = ?1 AND d.cc = ?2 AND d.sms = ?3 AND d.memory_mib = ?4 "                          \
      "AND f.driver = ?5 AND f.nvrtc = ?6 AND f.tool = ?7 AND f.cold = ?8")                            \
    X(ADD_PROBLEM,                                                                                     \
      "INSERT INTO problem (op, shape, type_key, elements, traffic_bytes) VALUES (?1, ?2, ?3, ?4, ?5) " \
      "ON CONFLICT DO UPDATE SET elements = excluded.elements, traffic_bytes = excluded.traffic_bytes " \
      "WHERE elements <> excluded.elements OR traffic_bytes <> excluded.traffic_bytes")                \
    X(PROBLEM_ID, "SELECT id FROM problem WHERE op = ?1 AND shape = ?2 AND type_key = ?3")             \
    X(ADD_TEMPLATE, "INSERT INTO template (name, hash) VALUES (?1, ?2) ON CONFLICT DO NOTHING")        \
    X(TEMPLATE_ID, "SELECT id FROM template WHERE name = ?1 AND hash = ?2")                            \
                                                                                                       \
    X(ADD_RUN,                                                                                         \
      "INSERT INTO run (started_at, command, strategy, seed, device_uuid, host, other_processes, ecc_errors) " \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")                                                               \
    X(PUT_TRIAL,                                                                                       \
      "INSERT INTO trial (problem_id, fingerprint_id, template_id, config, run_id, outcome, median_s, min_s, " \
      "spread, samples, registers, shared_bytes, spill_bytes, compile_s, log, source_hash, measured_at) " \
      "VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) " \
      "ON CONFLICT (problem_id, fingerprint_id, template_id, config) DO UPDATE SET "                   \
      "run_id = excluded.run_id, outcome = excluded.outcome, median_s = excluded.median_s, "           \
      "min_s = excluded.min_s, spread = excluded.spread, samples = excluded.samples, "                 \
      "registers = excluded.registers, shared_bytes = excluded.shared_bytes, "                         \
      "spill_bytes = excluded.spill_bytes, compile_s = excluded.compile_s, log = excluded.log, "       \
      "source_hash = excluded.source_hash, measured_at = excluded.measured_at")                        \
    X(PUT_WINNER,                                                                                      \
      "INSERT INTO winner (problem_id, fingerprint_id, template_id, config, run_id, source_hash, op_hash, " \
      "median_s, min_s, spread, samples, ceiling_s, ceiling_name, ties, trials, space_count, grid_x, grid_y, " \
      "grid_z, block_x, block_y, block_z, shared_bytes, registers, elapsed_s, sm_clock_mhz, memory_clock_mhz, " \
      "temperature_c, power_w, throttle_reasons, measured_at) "                                        \
      "VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6, ?7, ?8, ?9, ?10, ?11, nullif(?12, 0.0), ?13, ?14, ?15, ?16, " \
      "?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)")                    \
                                                                                                       \
    /* What was measured before what was replayed, cold results first, as in the view best; a device   \
       filter of '' lets every device through. */                                                      \
    X(FIND_WINNER,                                                                                     \
      "SELECT " AT__SQL_WINNER_COLUMNS " FROM winners_all WHERE " AT__SQL_IS_PROBLEM                   \
      " AND instr(lower(device), lower(?4)) > 0 "                                                      \
      "ORDER BY instr(device, '" AT__REPLAY_NAME "') = 1, cold DESC, measured_at DESC, winner_id DESC " \
      "LIMIT 1")                                                                                       \
    X(EACH_PROBLEM,                                                                                    \
      "SELECT op, shape, type_key, elements, traffic_bytes FROM problem ORDER BY op, shape, type_key") \
    X(EACH_BEST, "SELECT " AT__SQL_WINNER_COLUMNS " FROM best")                                        \
    X(DATA_VERSION, "PRAGMA data_version")                                                             \
    X(FIND_WINNER_OF,                                                                                  \
      "SELECT " AT__SQL_WINNER_COLUMNS " FROM winners_all WHERE " AT__SQL_IS_PROBLEM                   \
      " AND " AT__SQL_IS_FINGERPRINT " ORDER BY measured_at DESC, winner_id DESC LIMIT 1")             \
    X(WINNER_STRATEGY,                                                                                 \
      "SELECT r.strategy FROM winners_all JOIN run r ON r.id = run_id WHERE " AT__SQL_IS_PROBLEM       \
      " AND " AT__SQL_IS_FINGERPRINT " ORDER BY measured_at DESC, winner_id DESC LIMIT 1")             \
    X(EACH_TRIAL,                                                                                      \
      "SELECT " AT__SQL_TRIAL_COLUMNS " FROM trials_all WHERE " AT__SQL_IS_PROBLEM                     \
      " ORDER BY median_s IS NULL, median_s, trial_id")                                                \
    X(EACH_TRIAL_OF,                                                                                   \
      "SELECT " AT__SQL_TRIAL_COLUMNS " FROM trials_all WHERE " AT__SQL_IS_PROBLEM                     \
      " AND " AT__SQL_IS_FINGERPRINT " ORDER BY median_s IS NULL, median_s, trial_id")                 \
                                                                                                       \
    /* Dumps: the names of the columns are those of the members. */                                   \
    X(DUMP_SOURCES, "SELECT hash, path, text, stored_at FROM source ORDER BY hash")                    \
    X(DUMP_RECORDED, "SELECT hash, path, text, stored_at FROM source WHERE path GLOB 'recorded/*' ORDER BY hash") \
    X(DUMP_TRIALS,                                                                                     \
      "SELECT " AT__SQL_DUMP_KEY ", outcome, median_s, min_s, spread, samples, registers, shared_bytes, " \
      "spill_bytes, compile_s, log, source_hash, measured_at "                                         \
      "FROM trials_all JOIN problem USING (op, shape, type_key) "                                      \
      "WHERE ?1 = 0 OR trial_id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "       \
      "problem_id, fingerprint_id, template_id ORDER BY median_s, config) AS place FROM trial "        \
      "WHERE outcome = 'timed') WHERE place <= ?1) ORDER BY " AT__SQL_DUMP_KEY)                        \
    X(DUMP_WINNERS,                                                                                    \
      "SELECT " AT__SQL_DUMP_KEY ", median_s, min_s, spread, samples, ceiling_s, ceiling, ties, trials, " \
      "space_count, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, registers, elapsed_s, " \
      "sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, throttle_reasons, source_hash, op_hash, " \
      "measured_at, (SELECT r.strategy FROM run r WHERE r.id = run_id) AS strategy "                   \
      "FROM winners_all ORDER BY op, shape, type_key, " AT__SQL_FINGERPRINT_COLUMNS                    \
      ", measured_at, winner_id")                                                                      \
                                                                                                       \
    /* Merging: ?1 is a line of a dump, or the object that it completes. */                            \
    X(LINE_KIND, "SELECT CASE WHEN json_valid(?1) THEN json_extract(?1, '$.kind') END")                \
    X(LINE_VERSION, "SELECT json_extract(?1, '$.version')")                                            \
    X(LINE_PATCH, "SELECT json_patch(?1, ?2)")                                                         \
    X(LINE_KEY,                                                                                        \
      "SELECT json_extract(?1, '$.op'), json_extract(?1, '$.shape'), json_extract(?1, '$.type_key'), " \
      "json_extract(?1, '$.elements'), json_extract(?1, '$.traffic_bytes'), json_extract(?1, '$.device'), " \
      "json_extract(?1, '$.cc'), json_extract(?1, '$.sms'), json_extract(?1, '$.memory_mib'), "        \
      "json_extract(?1, '$.driver'), json_extract(?1, '$.nvrtc'), json_extract(?1, '$.tool'), "        \
      "json_extract(?1, '$.cold'), json_extract(?1, '$.template'), json_extract(?1, '$.template_hash'), " \
      "json_extract(?1, '$.config'), json_extract(?1, '$.measured_at')")                               \
    X(LINE_SOURCE, "SELECT json_extract(?1, '$.hash'), json_extract(?1, '$.text')")                    \
    X(MERGE_SOURCE,                                                                                    \
      "INSERT INTO source (hash, path, text, stored_at) SELECT json_extract(?1, '$.hash'), "           \
      "json_extract(?1, '$.path'), json_extract(?1, '$.text'), json_extract(?1, '$.stored_at') WHERE true " \
      "ON CONFLICT DO NOTHING")                                                                        \
    X(MERGE_TRIAL,                                                                                     \
      "INSERT INTO trial (problem_id, fingerprint_id, template_id, config, run_id, outcome, median_s, min_s, " \
      "spread, samples, registers, shared_bytes, spill_bytes, compile_s, log, source_hash, measured_at) " \
      "SELECT ?2, ?3, ?4, json_extract(?1, '$.config'), NULL, json_extract(?1, '$.outcome'), "         \
      "nullif(max(json_extract(?1, '$.median_s'), 0), 0), json_extract(?1, '$.min_s'), "               \
      "json_extract(?1, '$.spread'), json_extract(?1, '$.samples'), json_extract(?1, '$.registers'), " \
      "json_extract(?1, '$.shared_bytes'), json_extract(?1, '$.spill_bytes'), "                        \
      "coalesce(json_extract(?1, '$.compile_s'), 0.0), coalesce(json_extract(?1, '$.log'), ''), "      \
      "coalesce(json_extract(?1, '$.source_hash'), ''), json_extract(?1, '$.measured_at') WHERE true " \
      "ON CONFLICT (problem_id, fingerprint_id, template_id, config) DO UPDATE SET "                   \
      "run_id = excluded.run_id, outcome = excluded.outcome, median_s = excluded.median_s, "           \
      "min_s = excluded.min_s, spread = excluded.spread, samples = excluded.samples, "                 \
      "registers = excluded.registers, shared_bytes = excluded.shared_bytes, "                         \
      "spill_bytes = excluded.spill_bytes, compile_s = excluded.compile_s, log = excluded.log, "       \
      "source_hash = excluded.source_hash, measured_at = excluded.measured_at "                        \
      "WHERE excluded.measured_at > measured_at")                                                      \
    X(MERGE_RUN,                                                                                       \
      "INSERT INTO run (started_at, command, strategy, seed, device_uuid, host) "                      \
      "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '" AT__MERGE_COMMAND "', "                        \
      "json_extract(?1, '$.strategy'), 0, '', '' WHERE json_type(?1, '$.strategy') = 'text' "          \
      "AND NOT EXISTS (SELECT 1 FROM run r WHERE r.command = '" AT__MERGE_COMMAND "' "                 \
      "AND r.strategy = json_extract(?1, '$.strategy'))")                                              \
    X(MERGE_WINNER,                                                                                    \
      "INSERT INTO winner (problem_id, fingerprint_id, template_id, config, run_id, source_hash, op_hash, " \
      "median_s, min_s, spread, samples, ceiling_s, ceiling_name, ties, trials, space_count, grid_x, grid_y, " \
      "grid_z, block_x, block_y, block_z, shared_bytes, registers, elapsed_s, sm_clock_mhz, memory_clock_mhz, " \
      "temperature_c, power_w, throttle_reasons, measured_at) "                                        \
      "SELECT ?2, ?3, ?4, json_extract(?1, '$.config'), "                                              \
      "(SELECT min(r.id) FROM run r WHERE r.command = '" AT__MERGE_COMMAND "' "                        \
      "AND r.strategy = json_extract(?1, '$.strategy')), "                                             \
      "coalesce(json_extract(?1, '$.source_hash'), ''), coalesce(json_extract(?1, '$.op_hash'), ''), " \
      "nullif(max(json_extract(?1, '$.median_s'), 0), 0), json_extract(?1, '$.min_s'), "               \
      "json_extract(?1, '$.spread'), json_extract(?1, '$.samples'), json_extract(?1, '$.ceiling_s'), " \
      "json_extract(?1, '$.ceiling'), json_extract(?1, '$.ties'), json_extract(?1, '$.trials'), "      \
      "json_extract(?1, '$.space_count'), json_extract(?1, '$.grid_x'), json_extract(?1, '$.grid_y'), " \
      "json_extract(?1, '$.grid_z'), json_extract(?1, '$.block_x'), json_extract(?1, '$.block_y'), "   \
      "json_extract(?1, '$.block_z'), json_extract(?1, '$.shared_bytes'), json_extract(?1, '$.registers'), " \
      "json_extract(?1, '$.elapsed_s'), json_extract(?1, '$.sm_clock_mhz'), "                          \
      "json_extract(?1, '$.memory_clock_mhz'), json_extract(?1, '$.temperature_c'), "                  \
      "json_extract(?1, '$.power_w'), json_extract(?1, '$.throttle_reasons'), "                        \
      "json_extract(?1, '$.measured_at') "                                                             \
      "WHERE NOT EXISTS (SELECT 1 FROM winner w WHERE w.problem_id = ?2 AND w.fingerprint_id = ?3 "    \
      "AND w.template_id = ?4 AND w.config = json_extract(?1, '$.config') "                            \
      "AND w.measured_at = json_extract(?1, '$.measured_at'))")                                        \
                                                                                                       \
    /* Recordings. */                                                                                  \
    X(MAIN_FINGERPRINT,                                                                                \
      "SELECT " AT__SQL_FINGERPRINT_COLUMNS " FROM trials_all WHERE instr(device, '" AT__REPLAY_NAME "') <> 1 " \
      "AND instr(lower(device), lower(?1)) > 0 "                                                       \
      "GROUP BY " AT__SQL_FINGERPRINT_COLUMNS " ORDER BY count(*) DESC, max(measured_at) DESC LIMIT 1") \
    X(MAIN_FINGERPRINT_OF,                                                                             \
      "SELECT " AT__SQL_FINGERPRINT_COLUMNS " FROM trials_all WHERE " AT__SQL_IS_PROBLEM               \
      " AND device = ?4 AND cc = ?5 AND sms = ?6 AND memory_mib = ?7 AND cold = ?8 "                   \
      "GROUP BY " AT__SQL_FINGERPRINT_COLUMNS " ORDER BY count(*) DESC, max(measured_at) DESC LIMIT 1") \
    X(SUMMARY,                                                                                         \
      "SELECT (SELECT count(*) || ' ' || max(measured_at) || ' ' || total(median_s) FROM trial) || ' ' || " \
      "(SELECT count(*) || ' ' || total(median_s) FROM winner)")                                       \
                                                                                                       \
    X(PUT_SOURCE,                                                                                      \
      "INSERT INTO source (hash, path, text, stored_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING") \
    X(EACH_RECORDED,                                                                                   \
      "SELECT s.path, s.text, max(t.id) FROM source s JOIN template t ON t.hash = s.hash "             \
      "WHERE s.path GLOB 'recorded/*' GROUP BY s.path")                                                \
    X(GET_SOURCE, "SELECT text FROM source WHERE hash = ?1")                                           \
    X(PUT_CUBIN,                                                                                       \
      "INSERT INTO cubin (key, cubin, log, stored_at) VALUES (?1, ?2, ?3, ?4) "                        \
      "ON CONFLICT DO UPDATE SET cubin = excluded.cubin, log = excluded.log, "                         \
      "stored_at = max(stored_at, excluded.stored_at)")                                                \
    X(GET_CUBIN, "SELECT cubin, log, stored_at FROM cubin WHERE key = ?1")                             \
                                                                                                       \
    /* The cache's order of use is that of rowids: what is used goes to the end. */                    \
    X(USE_CUBIN,                                                                                       \
      "UPDATE cubin SET rowid = (SELECT max(rowid) + 1 FROM cubin), stored_at = ?2 WHERE key = ?1")    \
    X(KEEP_CUBIN,                                                                                      \
      "UPDATE cubin SET rowid = (SELECT max(rowid) + 1 FROM cubin), stored_at = ?2 WHERE key = ?1 "    \
      "AND substr(stored_at, 1, 17) <> substr(?2, 1, 17)")                                             \
    X(FIRST_CUBIN, "SELECT rowid, stored_at FROM cubin ORDER BY rowid LIMIT 1")                        \
    X(LAST_CUBIN, "UPDATE cubin SET rowid = (SELECT max(rowid) + 1 FROM cubin) WHERE rowid = ?1")      \
    X(DROP_CUBIN, "DELETE FROM cubin WHERE rowid = ?1")                                                \
    X(COUNT_CUBINS, "SELECT count(*) FROM cubin")                                                      \
    X(HAS_TRIALS, "SELECT EXISTS (SELECT 1 FROM trial)")                                               \
    X(FILE_BYTES, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")            \
    X(FREE_BYTES, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")    \
    X(VACUUM, "VACUUM")                                                                                \
    X(EMPTY_LOG, "PRAGMA wal_checkpoint(TRUNCATE)")

/* clang-format on */

typedef enum at__sql {
#define AT__SQL_NAME(name, sql) AT__SQL_##name,
    AT__STATEMENTS(AT__SQL_NAME)
#undef AT__SQL_NAME
        AT__SQL_COUNT
} at__sql;

#endif
