/* machine_support.h - a kernel of PTX text, run on the machine with one buffer. */
#pragma once

#include "machine/inspect.h"
#include "util/str.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one kernel, one buffer ---- */

enum { THREADS = 64, WORDS = 1024 };

typedef struct run {
    uint32_t out[WORDS];
    atx_machine_result result;
    at_error err;
    at_status status;
    uint32_t grid, block, cluster;
    int64_t shared_bytes, budget;
    bool inspected; /* with an inspector, whose flaws are kept; what `out` holds at the begin counts as
                       written */
    atx_flaws flaws;
} run;

static const char DECLARATIONS[] =
    ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .b64 %d<32>;\n.reg .f32 %f<16>;\n"
    ".reg .f64 %fd<16>;\n.reg .b64 %out;\n"
    "ld.param.u64 %out, [out];\nmov.u32 %r30, %tid.x;\nmov.u32 %r31, %ctaid.x;\n";

/* Runs a kernel whose body has %out, %r30 = tid.x and %r31 = ctaid.x; `before` stands outside of it. */
static inline void run_text(run *r, const char *before, const char *body)
{
    atx_str text = { 0 };
    atx_ptx_module *m = NULL;
    atx_machine *machine = NULL;
    atx_inspector *inspector = NULL;
    int region = 0;
    atx_str_addf(
        &text,
        ".version 8.5\n.target sm_90\n.address_size 64\n%s\n.entry k(.param .u64 out)\n{\n%s%s\nret;\n}\n",
        before, DECLARATIONS, body);
    r->status = atx_ptx_parse(&m, text.data, text.len, &r->err);
    if (r->status == AT_OK)
        r->status = atx_machine_open(&machine, m, &r->err);
    if (r->status == AT_OK)
        r->status = atx_machine_add_buffer(
            &region, machine,
            &(atx_machine_buffer){ "out", sizeof r->out, 256,
                                   ATX_REGION_OUTPUT | (r->inspected ? ATX_REGION_INITIALISED : 0), r->out },
            &r->err);
    if (r->status == AT_OK && r->inspected)
        r->status = atx_inspector_open(&inspector, m, machine, &r->err);
    if (r->status == AT_OK) {
        const uint64_t address = atx_machine_region_at(machine, region)->address;
        atx_machine_launch launch = { .function = atx_ptx_find_entry(m, "k"),
                                      .grid = { r->grid ? r->grid : 1, 1, 1 },
                                      .block = { r->block ? r->block : 32, 1, 1 },
                                      .cluster = { r->cluster, r->cluster ? 1 : 0, r->cluster ? 1 : 0 },
                                      .shared_bytes = r->shared_bytes,
                                      .arguments = &address,
                                      .argument_bytes = 8,
                                      .warp_budget = r->budget };
        launch.watch = inspector ? atx_inspector_watch(inspector, &launch) : NULL;
        r->status = atx_machine_run(&r->result, machine, &launch, &r->err);
        memcpy(r->out, atx_machine_region_at(machine, region)->data, sizeof r->out);
    }
    if (r->status == AT_OK && inspector) {
        atx_inspector_take(inspector, &r->result);
        r->flaws = *atx_inspector_flaws(inspector);
    }
    atx_inspector_close(inspector);
    atx_machine_close(machine);
    atx_ptx_close(m);
    atx_str_clear(&text);
}

static inline void run_body(run *r, const char *body)
{
    run_text(r, "", body);
    cr_assert(r->status == AT_OK, "%s: %s", body, r->err.text);
}

/* Stores %r1 of each thread at its place. */
#define STORE "mad.wide.u32 %d30, %r30, 4, %out; st.global.u32 [%d30], %r1;\n"
