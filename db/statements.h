/*
 * statements.h - every SQL statement of the store, by name; prepared on first use and kept. Tables and views
 * are in schema.sql, columns in columns.h: lists of them follow from there.
 *
 * A row is X(NAME, "sql"). Parameters are numbered in the order in which atx_query_begin is given them.
 */
#pragma once

#include "db/columns.h"

/* clang-format off */

/* What lists make of a row of columns.h: THEN_ begins with its comma and stands behind something, _THEN ends
 * with it and stands before something. A parameter "?" has the number after the one before it. */
#define ATX_THEN_NAME(name, shown, kind, member, rule, range)  ", " #name
#define ATX_THEN_MARK(name, shown, kind, member, rule, range)  ", ?"
#define ATX_THEN_SET(name, shown, kind, member, rule, range)   ", " #name " = excluded." #name
#define ATX_THEN_SHOWN(name, shown, kind, member, rule, range) ", " #shown
#define ATX_THEN_TAKE(name, shown, kind, member, rule, range)  ", " ATX_TAKE_##rule(shown)
#define ATX_SHOWN_THEN(name, shown, kind, member, rule, range) #shown ", "
#define ATX_TAKE_THEN(name, shown, kind, member, rule, range)  ATX_TAKE_##rule(shown) ", "
#define ATX_AND_NAME(name, shown, kind, member, rule, range)   " AND " #name " = ?"
#define ATX_AND_SHOWN(name, shown, kind, member, rule, range)  " AND " #shown " = ?"

/* A member of a line of a dump, ?1, as its rule says. */
#define ATX_TAKE_PLAIN(shown)      "json_extract(?1, '$." #shown "')"
#define ATX_TAKE_NEEDED(shown)     ATX_TAKE_PLAIN(shown)
#define ATX_TAKE_OR_ZERO(shown)    "coalesce(" ATX_TAKE_PLAIN(shown) ", 0)"
#define ATX_TAKE_OR_EMPTY(shown)   "coalesce(" ATX_TAKE_PLAIN(shown) ", '')"
#define ATX_TAKE_ABOVE_ZERO(shown) "nullif(max(" ATX_TAKE_PLAIN(shown) ", 0), 0)"

/* The keys of a row of trial or winner; the figures follow. */
#define ATX_SQL_ROW_KEY "problem_id, fingerprint_id, template_id, config, run_id, measured_at"

/* Column 0 is the row's number, then come the columns of the structs that are read. */
#define ATX_SQL_READ_TRIAL                                                                             \
    "SELECT trial_id" ATX_KERNEL_COLUMNS(ATX_THEN_SHOWN) ATX_TRIAL_FIGURES(ATX_THEN_SHOWN)             \
    ATX_TIME_COLUMN(ATX_THEN_SHOWN) ATX_FINGERPRINT_COLUMNS(ATX_THEN_SHOWN) " FROM trial_rows "
#define ATX_SQL_READ_WINNER(view)                                                                      \
    "SELECT winner_id" ATX_KERNEL_COLUMNS(ATX_THEN_SHOWN) ATX_WINNER_FIGURES(ATX_THEN_SHOWN)           \
    ATX_FINGERPRINT_COLUMNS(ATX_THEN_SHOWN) ATX_PROBLEM_COLUMNS(ATX_THEN_SHOWN)                        \
    ATX_TIME_COLUMN(ATX_THEN_SHOWN) ATX_RANK_COLUMN(ATX_THEN_SHOWN) ", NOT valid FROM " view " "

#define ATX_SQL_UPDATE_TRIAL                                                                           \
    "ON CONFLICT (problem_id, fingerprint_id, template_id, config) DO UPDATE SET run_id = excluded.run_id, " \
    "measured_at = excluded.measured_at" ATX_TRIAL_FIGURES(ATX_THEN_SET)

/* Of two texts that mean the same the newer stays. */
#define ATX_SQL_UPDATE_SOURCE                                                                          \
    "ON CONFLICT DO UPDATE SET path = excluded.path, text = excluded.text, stored_at = excluded.stored_at " \
    "WHERE excluded.text <> text AND excluded.stored_at >= stored_at"

#define ATX_SQL_IS_PROBLEM     "op = ?1 AND shape = ?2 AND type_key = ?3"
#define ATX_SQL_IS_FINGERPRINT "true" ATX_FINGERPRINT_COLUMNS(ATX_AND_SHOWN)

/* Of a source in a dump, instead of `text`: one that is no UTF-8, which is all that JSON has, in hexadecimal. */
#define ATX_TEXT_HEX "text_hex"

/* In this order of tables, whatever SQLite would think best: the first row may be all that is asked for. */
#define ATX_SQL_WINNER_ON                                                                              \
    "SELECT w.id FROM winner w CROSS JOIN fingerprint f ON f.id = w.fingerprint_id "                   \
    "CROSS JOIN device d ON d.id = f.device_id "

/* In a dump: a winner whose date was not believed, which may lie in the past by now, has an empty rank. Never left
 * out: a line without it would get that of the line before. */
#define ATX_SQL_WITHOUT_RANK "CASE WHEN rank_at = '' THEN '' END AS rank_at, "

/* The fingerprint of most rows; a list ends with a column, so one stands there twice. */
#define ATX_SQL_BY_FINGERPRINT                                                                         \
    "GROUP BY " ATX_FINGERPRINT_COLUMNS(ATX_SHOWN_THEN) "device "                                      \
    "ORDER BY count(*) DESC, max(measured_at) DESC LIMIT 1"

/* Winners that were merged belong to a run of this name with the strategy that found them: one for each. */
#define ATX_MERGE_COMMAND "autotune merge"

/* The last time of day that is believed: a day from now, since clocks differ (atx_utc_latest). */
#define ATX_SQL_LATEST "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+1 day')"

/* Of the file, whatever the connection calls so. */
#define ATX_SQL_TABLES                                                                                 \
    "(SELECT * FROM main.sqlite_schema WHERE lower(name) IN ('device', 'fingerprint', 'problem', "     \
    "'template', 'source', 'run', 'trial', 'winner', 'cubin'))"
#define ATX_SQL_VIEWS                                                                                  \
    "(SELECT * FROM main.sqlite_schema WHERE lower(name) IN ('best', 'winners_all', 'trials_all', "  \
    "'winner_parameters', 'trial_parameters', 'sizes', 'types', 'winner_rows', 'newest_rows', 'trial_rows', 'best_rows'))"

#define ATX_STATEMENTS(X)                                                                              \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                        \
    X(COMMIT, "COMMIT")                                                                                \
    X(ROLLBACK, "ROLLBACK")                                                                            \
    X(GET_VERSION, "PRAGMA user_version")                                                              \
    X(COUNT_VIEWS,                                                                                     \
      "SELECT count(*) FROM main.sqlite_schema WHERE type = 'view' "                                   \
      "AND name IN ('best', 'winners_all', 'trials_all')")                                             \
                                                                                                       \
    /* What the schema of a file must not hold, in words; ?1 is the text that our views stand in. */   \
    X(FOREIGN_OBJECT,                                                                                  \
      "SELECT 'the trigger ' || name || ' on ' || tbl_name FROM main.sqlite_schema "                   \
      "WHERE type = 'trigger' AND lower(tbl_name) IN (SELECT lower(name) FROM " ATX_SQL_TABLES         \
      " UNION ALL SELECT lower(name) FROM " ATX_SQL_VIEWS ") UNION ALL "                               \
      "SELECT 'a ' || type || ' ' || name || ' of another form' FROM " ATX_SQL_TABLES                  \
      " WHERE type <> 'table' OR upper(sql) NOT LIKE 'CREATE TABLE%STRICT' "                           \
      "OR upper(sql) LIKE '%CONFLICT%' UNION ALL "                                                     \
      "SELECT 'the generated column ' || t.name || '.' || c.name FROM " ATX_SQL_TABLES " t "           \
      "JOIN pragma_table_xinfo(t.name, 'main') c WHERE c.hidden <> 0 UNION ALL "                       \
      "SELECT 'the unique index ' || i.name || ' on ' || t.name FROM " ATX_SQL_TABLES " t "            \
      "JOIN pragma_index_list(t.name, 'main') i WHERE i.\"unique\" AND i.origin = 'c' UNION ALL "      \
      "SELECT 'a ' || type || ' ' || name || ' of another form' FROM " ATX_SQL_VIEWS                   \
      " WHERE type <> 'view' OR instr(?1, sql) = 0 LIMIT 1")                                           \
                                                                                                       \
    X(ADD_DEVICE,                                                                                      \
      "INSERT INTO device (id" ATX_DEVICE_COLUMNS(ATX_THEN_NAME) ") "                                  \
      "VALUES (NULL" ATX_DEVICE_COLUMNS(ATX_THEN_MARK) ") ON CONFLICT DO NOTHING")                     \
    X(ADD_FINGERPRINT,                                                                                 \
      "INSERT INTO fingerprint (device_id" ATX_VERSION_COLUMNS(ATX_THEN_NAME) ") "                     \
      "SELECT id" ATX_VERSION_COLUMNS(ATX_THEN_MARK) " FROM device "                                   \
      "WHERE true" ATX_DEVICE_COLUMNS(ATX_AND_NAME) " ON CONFLICT DO NOTHING")                         \
    X(FINGERPRINT_ID,                                                                                  \
      "SELECT f.id FROM fingerprint f JOIN device d ON d.id = f.device_id "                            \
      "WHERE true" ATX_FINGERPRINT_COLUMNS(ATX_AND_NAME))                                              \
    X(ADD_PROBLEM,                                                                                     \
      "INSERT INTO problem (id" ATX_PROBLEM_COLUMNS(ATX_THEN_NAME) ") "                                \
      "VALUES (NULL" ATX_PROBLEM_COLUMNS(ATX_THEN_MARK) ") "                                           \
      "ON CONFLICT DO UPDATE SET elements = excluded.elements, traffic_bytes = excluded.traffic_bytes, " \
      "ops_count = coalesce(nullif(excluded.ops_count, 0), ops_count) " /* who knows none erases none */ \
      "WHERE elements <> excluded.elements OR traffic_bytes <> excluded.traffic_bytes "                \
      "OR ops_count <> coalesce(nullif(excluded.ops_count, 0), ops_count)")                            \
    X(PROBLEM_ID, "SELECT id FROM problem WHERE op = ?1 AND shape = ?2 AND type_key = ?3")             \
    X(ADD_TEMPLATE,                                                                                    \
      "INSERT INTO template (name, hash) VALUES (?1, ?2) ON CONFLICT DO NOTHING") \
    X(TEMPLATE_ID, "SELECT id FROM template WHERE name = ?1 AND hash = ?2")           \
                                                                                                       \
    X(ADD_RUN,                                                                                         \
      "INSERT INTO run (started_at, command, strategy, seed, device_uuid, host, other_processes, ecc_errors) " \
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")                                                       \
    X(PUT_TRIAL,                                                                                       \
      "INSERT INTO trial (" ATX_SQL_ROW_KEY ATX_TRIAL_FIGURES(ATX_THEN_NAME) ") "                      \
      "VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6" ATX_TRIAL_FIGURES(ATX_THEN_MARK) ") "                \
      ATX_SQL_UPDATE_TRIAL)                                                                            \
    /* Under other conditions on the same device model, where there is a trial that was timed, or a winner. */ \
    X(PUT_VERDICT_ELSEWHERE,                                                                           \
      "INSERT INTO trial (" ATX_SQL_ROW_KEY ATX_TRIAL_FIGURES(ATX_THEN_NAME) ") "                      \
      "SELECT ?1, f.id, ?3, ?4, nullif(?5, 0), ?6" ATX_TRIAL_FIGURES(ATX_THEN_MARK) " "                \
      "FROM fingerprint f WHERE f.id <> ?2 "                                                           \
      "AND f.device_id = (SELECT device_id FROM fingerprint WHERE id = ?2) "                           \
      "AND (EXISTS (SELECT 1 FROM trial x WHERE x.problem_id = ?1 AND x.fingerprint_id = f.id "        \
      "AND x.template_id = ?3 AND x.config = ?4) OR EXISTS (SELECT 1 FROM winner w "                   \
      "WHERE w.problem_id = ?1 AND w.fingerprint_id = f.id AND w.template_id = ?3 AND w.config = ?4)) " \
      ATX_SQL_UPDATE_TRIAL " WHERE outcome = 'timed'")                                                 \
    X(FIND_FAILURE,                                                                                    \
      "SELECT outcome, log, measured_at FROM trial_rows WHERE " ATX_SQL_IS_PROBLEM                     \
      " AND template = ?4 AND template_hash = ?5 AND config = ?6 AND measured_at >= ?7 "               \
      "AND outcome <> 'timed' AND " ATX_SQL_IS_FINGERPRINT " LIMIT 1")                                 \
    X(FIND_FAILURE_ANYWHERE,                                                                           \
      "SELECT outcome, log, measured_at FROM trial_rows WHERE " ATX_SQL_IS_PROBLEM                     \
      " AND template = ?4 AND template_hash = ?5 AND config = ?6 AND measured_at >= ?7 "               \
      "AND outcome IN ('wrong_result', 'crashed', 'timed_out') AND device = ?8 LIMIT 1")               \
    X(PUT_WINNER,                                                                                      \
      "INSERT INTO winner (" ATX_SQL_ROW_KEY ", rank_at" ATX_WINNER_FIGURES(ATX_THEN_NAME) ") "        \
      "VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6, ?6" ATX_WINNER_FIGURES(ATX_THEN_MARK) ")")           \
    /* What is there already was not measured after ?3. */                                             \
    X(UNRANK_WINNERS,                                                                                   \
      "UPDATE winner SET rank_at = '' WHERE problem_id = ?1 AND rank_at > ?3 AND fingerprint_id IN "   \
      "(SELECT id FROM fingerprint WHERE device_id = (SELECT device_id FROM fingerprint WHERE id = ?2))") \
                                                                                                       \
    /* What was measured before what was replayed, cold results first, as in the view best_rows; a device   \
       filter of '' lets every device through. */                                                      \
    X(FIND_WINNER,                                                                                     \
      ATX_SQL_READ_WINNER("winner_rows") "WHERE valid AND " ATX_SQL_IS_PROBLEM         \
      " AND ?4 IN ('', device) "                                                                       \
      "ORDER BY instr(device, '" ATX_REPLAY_NAME "') = 1, cold DESC, rank_at DESC, winner_id DESC "    \
      "LIMIT 1")                                                                                       \
    X(EACH_PROBLEM,                                                                                    \
      "SELECT id" ATX_PROBLEM_COLUMNS(ATX_THEN_NAME) " FROM problem ORDER BY op, shape, type_key")     \
    X(EACH_BEST, ATX_SQL_READ_WINNER("best_rows") "ORDER BY rank_at, winner_id")                            \
    X(NEWEST_OF,                                                                                       \
      ATX_SQL_READ_WINNER("newest_rows") "WHERE op = ?1 AND (?2 IS NULL OR type_key = ?2)")         \
    X(EACH_NEWEST, ATX_SQL_READ_WINNER("newest_rows"))                                              \
    X(NEWEST_FOR, ATX_SQL_READ_WINNER("newest_rows") "WHERE " ATX_SQL_IS_PROBLEM)                   \
    X(EACH_OF_DEVICE, ATX_SQL_READ_WINNER("winner_rows") "WHERE " ATX_SQL_IS_PROBLEM                         \
                      " AND device = ?4 ORDER BY measured_at, winner_id")                                   \
    X(LAST_TUNED,                                                                                      \
      "SELECT op, shape, type_key FROM problem "                                                       \
      "WHERE id = (SELECT problem_id FROM winner ORDER BY id DESC LIMIT 1)")                           \
    X(COUNT_BEST, "SELECT count(*) FROM (SELECT 1 FROM best_rows WHERE op = ?1 LIMIT ?2)")                  \
    /* Without an index on the date all winners are looked through, unless their device is the only one. */ \
    X(NEWEST_DEVICE,                                                                                   \
      "SELECT device, op, shape, type_key FROM winner_rows WHERE winner_id = CASE "                    \
      "(SELECT count(DISTINCT name) FROM device WHERE instr(name, '" ATX_REPLAY_NAME "') <> 1) "       \
      "WHEN 1 THEN (" ATX_SQL_WINNER_ON "WHERE instr(d.name, '" ATX_REPLAY_NAME "') <> 1 LIMIT 1) "    \
      "ELSE (SELECT winner_id FROM best_rows WHERE winner_id = (" ATX_SQL_WINNER_ON                         \
      "ORDER BY instr(d.name, '" ATX_REPLAY_NAME "') = 1, w.rank_at DESC, w.id DESC LIMIT 1)) END")    \
    X(DEVICE_NAMES, "SELECT DISTINCT name FROM device ORDER BY name")                                  \
    X(NEWEST_TRIAL, "SELECT max(id) FROM trial")                                                       \
    X(DATA_VERSION, "PRAGMA data_version")                                                             \
    X(FIND_WINNER_OF,                                                                                  \
      ATX_SQL_READ_WINNER("winner_rows") "WHERE valid AND " ATX_SQL_IS_PROBLEM         \
      " AND " ATX_SQL_IS_FINGERPRINT " ORDER BY rank_at DESC, winner_id DESC LIMIT 1")                 \
    X(WINNER_STRATEGY,                                                                                 \
      "SELECT r.strategy FROM winner_rows JOIN run r ON r.id = run_id WHERE valid AND " ATX_SQL_IS_PROBLEM \
      " AND " ATX_SQL_IS_FINGERPRINT " ORDER BY rank_at DESC, winner_id DESC LIMIT 1")                 \
    X(EACH_TRIAL,                                                                                      \
      ATX_SQL_READ_TRIAL "WHERE " ATX_SQL_IS_PROBLEM                     \
      " ORDER BY median_s IS NULL, median_s, trial_id")                                                \
    X(EACH_TRIAL_OF,                                                                                   \
      ATX_SQL_READ_TRIAL "WHERE " ATX_SQL_IS_PROBLEM                     \
      " AND " ATX_SQL_IS_FINGERPRINT " ORDER BY median_s IS NULL, median_s, trial_id")                 \
                                                                                                       \
    /* Dumps: the names of the columns are those of the members. */                                   \
    X(DUMP_SOURCES, "SELECT hash, path, text, stored_at FROM source ORDER BY hash")                    \
    X(DUMP_RECORDED, "SELECT hash, path, text, stored_at FROM source WHERE path GLOB 'recorded/*' ORDER BY hash") \
    X(DUMP_TRIALS,                                                                                     \
      "SELECT " ATX_DUMP_KEY_COLUMNS(ATX_SHOWN_THEN) ATX_TRIAL_FIGURES(ATX_SHOWN_THEN) "measured_at "  \
      "FROM trial_rows JOIN problem USING (op, shape, type_key) "                                      \
      "WHERE ?1 = 0 OR trial_id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "       \
      "problem_id, fingerprint_id, template_id ORDER BY median_s, config) AS place FROM trial "        \
      "WHERE outcome = 'timed') WHERE place <= ?1) "                                                   \
      /* What makes a winner invalid goes with it. */                                                  \
      "OR (outcome <> 'timed' AND EXISTS (SELECT 1 FROM trial x JOIN winner w ON w.problem_id = x.problem_id " \
      "AND w.fingerprint_id = x.fingerprint_id AND w.template_id = x.template_id AND w.config = x.config " \
      "WHERE x.id = trial_id)) "                                                                       \
      "ORDER BY " ATX_DUMP_KEY_COLUMNS(ATX_SHOWN_THEN) "measured_at")                                  \
    X(DUMP_WINNERS,                                                                                    \
      "SELECT " ATX_DUMP_KEY_COLUMNS(ATX_SHOWN_THEN) ATX_WINNER_FIGURES(ATX_SHOWN_THEN) "measured_at, " \
      ATX_SQL_WITHOUT_RANK "(SELECT r.strategy FROM run r WHERE r.id = run_id) AS strategy FROM winner_rows " \
      "ORDER BY op, shape, type_key, " ATX_FINGERPRINT_COLUMNS(ATX_SHOWN_THEN) "measured_at, winner_id") \
                                                                                                       \
    /* Merging: ?1 is a line of a dump, or the object that it completes; ?5 the last date that is believed. */ \
    X(LINE_KIND, "SELECT CASE WHEN json_valid(?1) THEN json_extract(?1, '$.kind') END")                \
    X(LINE_VERSION, "SELECT json_extract(?1, '$.version')")                                            \
    X(LINE_PATCH, "SELECT json_patch(?1, ?2)")                                                         \
    X(LINE_KEY, "SELECT " ATX_DUMP_KEY_COLUMNS(ATX_TAKE_THEN) ATX_TAKE_PLAIN(measured_at))             \
    X(LINE_SOURCE, "SELECT json_extract(?1, '$.hash'), json_extract(?1, '$.text'), "                   \
      "json_extract(?1, '$." ATX_TEXT_HEX "'), json_extract(?1, '$.path')")                            \
    /* ?2: the text. */                                                                                \
    X(MERGE_SOURCE,                                                                                    \
      "INSERT INTO source (hash, path, text, stored_at) SELECT json_extract(?1, '$.hash'), "           \
      "json_extract(?1, '$.path'), ?2, json_extract(?1, '$.stored_at') WHERE true "                    \
      ATX_SQL_UPDATE_SOURCE)                                                                           \
    X(MERGE_TRIAL,                                                                                     \
      "INSERT INTO trial (" ATX_SQL_ROW_KEY ATX_TRIAL_FIGURES(ATX_THEN_NAME) ") "                      \
      "SELECT ?2, ?3, ?4, " ATX_TAKE_PLAIN(config) ", NULL, " ATX_TAKE_PLAIN(measured_at)              \
      ATX_TRIAL_FIGURES(ATX_THEN_TAKE) " WHERE true " ATX_SQL_UPDATE_TRIAL                             \
      " WHERE excluded.measured_at <= ?5 AND (excluded.measured_at > measured_at OR measured_at > ?5 " \
      "OR (excluded.measured_at = measured_at AND outcome = 'timed' AND excluded.outcome <> 'timed')) " \
      "RETURNING id" ATX_TRIAL_FIGURES(ATX_THEN_NAME))                                                 \
    X(MERGE_RUN,                                                                                       \
      "INSERT INTO run (started_at, command, strategy, seed, device_uuid, host) "                      \
      "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '" ATX_MERGE_COMMAND "', "                        \
      "json_extract(?1, '$.strategy'), 0, '', '' WHERE json_type(?1, '$.strategy') = 'text' "          \
      "AND NOT EXISTS (SELECT 1 FROM run r WHERE r.command = '" ATX_MERGE_COMMAND "' "                 \
      "AND r.strategy = json_extract(?1, '$.strategy'))")                                              \
    X(MERGE_WINNER,                                                                                    \
      "INSERT INTO winner (" ATX_SQL_ROW_KEY ", rank_at" ATX_WINNER_FIGURES(ATX_THEN_NAME) ") "        \
      "SELECT ?2, ?3, ?4, " ATX_TAKE_PLAIN(config) ", "                                                \
      "(SELECT min(r.id) FROM run r WHERE r.command = '" ATX_MERGE_COMMAND "' "                        \
      "AND r.strategy = json_extract(?1, '$.strategy')), " ATX_TAKE_PLAIN(measured_at)                 \
      ", CASE WHEN " ATX_TAKE_PLAIN(measured_at) " > ?5 OR " ATX_TAKE_PLAIN(rank_at) " = '' THEN '' ELSE " ATX_TAKE_PLAIN(measured_at) " END" \
      ATX_WINNER_FIGURES(ATX_THEN_TAKE) " "                                                            \
      "WHERE NOT EXISTS (SELECT 1 FROM winner w WHERE w.problem_id = ?2 AND w.fingerprint_id = ?3 "    \
      "AND w.template_id = ?4 AND w.config = " ATX_TAKE_PLAIN(config) " "                              \
      "AND w.measured_at = " ATX_TAKE_PLAIN(measured_at) ") RETURNING id" ATX_WINNER_FIGURES(ATX_THEN_NAME)) \
                                                                                                       \
    /* Recordings. */                                                                                  \
    X(MAIN_FINGERPRINT,                                                                                \
      "SELECT count(*)" ATX_FINGERPRINT_COLUMNS(ATX_THEN_SHOWN) " FROM trial_rows "                    \
      "WHERE instr(device, '" ATX_REPLAY_NAME "') <> 1 AND ?1 IN ('', device) "                        \
      ATX_SQL_BY_FINGERPRINT)                                                                          \
    X(MAIN_FINGERPRINT_OF,                                                                             \
      "SELECT count(*)" ATX_FINGERPRINT_COLUMNS(ATX_THEN_SHOWN) " FROM trial_rows WHERE "              \
      ATX_SQL_IS_PROBLEM ATX_DEVICE_COLUMNS(ATX_AND_SHOWN) " AND cold = ? " ATX_SQL_BY_FINGERPRINT)    \
    X(SUMMARY,                                                                                         \
      "SELECT (SELECT count(*) || ' ' || max(measured_at) || ' ' || total(median_s) FROM trial) || ' ' || " \
      "(SELECT count(*) || ' ' || total(median_s) FROM winner)")                                       \
                                                                                                       \
    X(PUT_SOURCE,                                                                                      \
      "INSERT INTO source (hash, path, text, stored_at) VALUES (?1, ?2, ?3, ?4) " ATX_SQL_UPDATE_SOURCE) \
    X(EACH_RECORDED,                                                                                   \
      "SELECT s.path, s.text, max(t.id) FROM source s JOIN template t "                                \
      "ON t.hash = s.hash WHERE s.path GLOB 'recorded/*' GROUP BY s.path ORDER BY s.path")         \
    X(GET_SOURCE, "SELECT text FROM source WHERE hash = ?1")                                           \
    X(GET_SPACE, "SELECT text FROM source WHERE path = ?1")                                            \
    X(PUT_CUBIN,                                                                                       \
      "INSERT INTO cubin (key, cubin, log, stored_at) VALUES (?1, ?2, ?3, ?4) "                        \
      "ON CONFLICT DO UPDATE SET cubin = excluded.cubin, log = excluded.log, "                         \
      "stored_at = max(stored_at, excluded.stored_at)")                                                \
    X(GET_CUBIN, "SELECT cubin, log, stored_at FROM cubin WHERE key = ?1")                             \
                                                                                                       \
    /* The cache's order of use is that of rowids: a kernel that is used moves to the end. */          \
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
    X(PAGE_BYTES, "PRAGMA page_size")                                                                  \
    X(FREE_BYTES, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")    \
    X(VACUUM, "VACUUM")                                                                                \
    X(EMPTY_LOG, "PRAGMA wal_checkpoint(TRUNCATE)")

/* clang-format on */

typedef enum atx_sql {
#define ATX_SQL_NAME(name, sql) ATX_SQL_##name,
    ATX_STATEMENTS(ATX_SQL_NAME)
#undef ATX_SQL_NAME
        ATX_SQL_COUNT
} atx_sql;
