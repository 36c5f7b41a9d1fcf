-- A small history as versions 1 and 2 stored it. spill_bytes held what the driver calls local memory.
INSERT INTO device VALUES (1, 'NVIDIA H200', 90, 132, 143771);
INSERT INTO fingerprint VALUES (1, 1, '580', '13.0', '0.1.0', 1);
INSERT INTO problem (id, op, shape, type_key, elements, traffic_bytes) VALUES (1, 'transpose', '4096x4096', 'b4', 16777216, 134217728);
INSERT INTO template VALUES (1, 'tile', 'h1');
INSERT INTO run (id, started_at, command, strategy, seed, device_uuid, host)
    VALUES (1, '2026-11-20T00:00:00Z', 'autotune', 'model, settled', 1, '', 'host');
INSERT INTO source VALUES ('982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1', 'tile.cu', 'text', '2026-11-20T00:00:00Z');
INSERT INTO trial (problem_id, fingerprint_id, template_id, config, run_id, outcome, median_s, min_s, spread, samples,
    registers, shared_bytes, spill_bytes, compile_s, log, source_hash, measured_at) VALUES
    (1, 1, 1, 'N=1', 1, 'timed', 1e-6, 9e-7, 0.0, 7, 40, 4224, 16, 0.5, '', 's1', '2026-11-20T00:00:01Z'),
    (1, 1, 1, 'N=2', 1, 'timed', 2e-6, 2e-6, 0.25, 3, 255, 4224, 512, 0.0, '', 's2', '2026-11-20T00:00:02Z'),
    (1, 1, 1, 'N=3', NULL, 'crashed', NULL, NULL, NULL, 0, NULL, NULL, NULL, 0.0, 'why', 's3', '2026-11-20T00:00:03Z');
INSERT INTO winner (problem_id, fingerprint_id, template_id, config, run_id, source_hash, op_hash, median_s, min_s, spread,
    samples, ceiling_s, ceiling_name, ties, trials, space_count, grid_x, grid_y, grid_z, block_x, block_y, block_z,
    shared_bytes, registers, elapsed_s, sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, throttle_reasons,
    measured_at) VALUES
    (1, 1, 1, 'N=1', 1, 's1', 'o1', 1e-6, 9e-7, 0.01, 45, 8e-7, 'memcpy', 'tile N=2', 3, 9, 7, 8, 9, 32, 4, 2, 4224, 40,
    12.5, 1980, 3201, 45, NULL, 4, '2026-11-20T00:00:04Z');
