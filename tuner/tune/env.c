/* env.c - what its users say to the outside: warnings and spans of the trace. */
#include "tune/env.h"

#include "lang/metric.h"

#include "util/clock.h"

#include <stdarg.h>
#include <stdio.h>

void atx_env_warn(const atx_env *env, const char *format, ...)
{
    char text[AT_ERROR_TEXT + 80];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    env->events->warning(env->events->context, text);
}

bool atx_env_is_replay(const atx_env *env)
{
    return atx_device_info_of(env->device)->ordinal == ATX_REPLAY_ORDINAL;
}

/* Replays count below zero; processes of a trace from 0. */
int atx_env_trace_id(const atx_env *env)
{
    int ordinal = atx_device_info_of(env->device)->ordinal;
    return ordinal < 0 ? 0 : ordinal;
}

void atx_env_trace(const atx_env *env, const char *what, const char *detail, double start_s)
{
    atx_trace_span(env->options->trace, (atx_trace_row){ ATX_TRACK_DEVICE, atx_env_trace_id(env), 0 }, what,
                   detail, start_s, atx_now_s());
}

bool atx_env_measures_energy(const atx_env *env, const atx_op *op)
{
    const atx_front *front = env->options->front;
    return atx_reads_figure(op, ATX_FIGURE_JOULES) || (front && atx_front_reads(front, ATX_FIGURE_JOULES));
}
