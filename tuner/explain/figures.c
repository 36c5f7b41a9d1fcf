/*
 * figures.c - a run under the watch that counts. A multiprocessor takes 64 bytes a clock from the L2, gives a
 * wavefront of shared memory a clock, and issues four instructions of warps; these bound a time from below
 * when all work is spread evenly.
 */
#include "explain/figures.h"

#include <stdlib.h>
#include <string.h>

static void scale(int64_t *value, const atx_sample *s)
{
    *value = (int64_t)((double)*value * (double)s->of / (double)s->blocks + 0.5);
}

static void scale_line(atx_tally_line *line, const atx_sample *s)
{
    if (s->blocks == s->of || s->blocks == 0)
        return;
    scale(&line->warp_instructions, s);
    scale(&line->lane_instructions, s);
    for (int k = 0; k < ATX_TRAFFIC_KINDS; k++) {
        atx_traffic *t = &line->traffic[k];
        scale(&t->requests, s);
        scale(&t->cost, s);
        scale(&t->least, s);
        scale(&t->lanes, s);
        scale(&t->bytes, s);
    }
}

static at_status take_lines(atx_figures *f, at_error *err)
{
    const atx_tally_line *lines = NULL;
    ATX_TRY(atx_tally_lines(&lines, &f->line_count, f->tally, err));
    f->lines = malloc((f->line_count + 1) * sizeof *lines);
    if (!f->lines)
        return atx_no_memory(err);
    memcpy(f->lines, lines, f->line_count * sizeof *lines);
    f->all = atx_tally_all(f->tally);
    scale_line(&f->all, &f->sample);
    for (size_t i = 0; i < f->line_count; i++)
        scale_line(&f->lines[i], &f->sample);
    return AT_OK;
}

static void take_occupancy(atx_figures *f, int cc)
{
    const atx_geometry *g = &f->program.kernel.geometry;
    if (atx_kernel_launches(&f->program.kernel) > 1 || f->program.resources.registers < 0)
        return;
    f->occupancy =
        atx_arch_occupancy(cc, g->block[0] * g->block[1] * g->block[2], f->program.resources.registers,
                           f->program.resources.shared_bytes + g->shared_bytes);
}

/* Instructions of threads that a sample may take: some seconds. */
#define MOST_INSTRUCTIONS 2e8

/* How many blocks are run: fewer where one of them is long. */
static at_status choose_most(int64_t *most, const atx_program *program, atx_instance *instance, at_error *err)
{
    atx_tally *tally = NULL;
    atx_sample sample;
    if (atx_kernel_launches(&program->kernel) > 1 || *most == 0) {
        *most = 0;
        return AT_OK;
    }
    at_status status = atx_tally_open(&tally, program->module, err);
    ATX_THEN(status, atx_instance_count(tally, &sample, instance, program, 1, err));
    if (status == AT_OK) {
        const int64_t lanes = atx_tally_all(tally).lane_instructions;
        const double fit = MOST_INSTRUCTIONS / (double)(lanes > 0 ? lanes : 1);
        *most = fit < 1 ? 1 : fit < (double)*most ? (int64_t)fit : *most;
    }
    atx_tally_close(tally);
    return status;
}

at_status atx_figures_of(atx_figures *f, const atx_figures_setting *on, const atx_template *t,
                         const atx_config *config, at_error *err)
{
    int64_t own[ATX_MAX_SLOTS], most_blocks = on->most_blocks;
    f->t = t;
    memcpy(own, on->slots, (size_t)t->op->scope.symbols.count * sizeof *own);
    atx_config_text(&f->config, t, config);
    ATX_TRY(atx_str_status(&f->config, err));
    ATX_TRY(atx_config_validate(own, t, config, err));
    ATX_TRY(atx_program_of_template(
        &f->program, on->nvrtc, &(atx_program_request){ t, on->problem->type, config, own, on->cc }, err));
    ATX_TRY(atx_program_measure(&f->program, on->nvrtc, t->text.file, on->cc, err));
    ATX_TRY(atx_tally_open(&f->tally, f->program.module, err));
    ATX_TRY(choose_most(&most_blocks, &f->program, on->instance, err));
    ATX_TRY(atx_instance_count(f->tally, &f->sample, on->instance, &f->program, most_blocks, err));
    ATX_TRY(take_lines(f, err));
    take_occupancy(f, on->cc);
    return AT_OK;
}

void atx_figures_close(atx_figures *f)
{
    atx_tally_close(f->tally);
    atx_program_close(&f->program);
    atx_str_clear(&f->config);
    free(f->lines);
    *f = (atx_figures){ .t = NULL };
}

atx_least_times atx_least_times_of(const atx_figures *f, int64_t traffic_bytes, const atx_device_rates *r)
{
    enum { L2_BYTES_A_CLOCK = 64, WARPS_A_CLOCK = 4 };
    atx_least_times out = { 0, 0, 0, 0 };
    const double clocks = r->clock_hz * (double)r->sms;
    int64_t sectors = 0, wavefronts = 0;
    for (int k = 0; k < ATX_TRAFFIC_KINDS; k++)
        *(atx_traffic_is_global((atx_traffic_kind)k) ? &sectors : &wavefronts) += f->all.traffic[k].cost;
    if (r->dram_bytes_per_s > 0)
        out.dram_s = (double)traffic_bytes / r->dram_bytes_per_s;
    if (clocks > 0) {
        out.l2_s = (double)sectors * ATX_SECTOR_BYTES / L2_BYTES_A_CLOCK / clocks;
        out.shared_s = (double)wavefronts / clocks;
        out.issue_s = (double)f->all.warp_instructions / WARPS_A_CLOCK / clocks;
    }
    return out;
}
