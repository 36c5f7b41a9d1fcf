/* env.c - what its users say to the outside: warnings and spans of the trace. */
#include "tune/env.h"

#include "util/clock.h"

#include <stdarg.h>
#include <stdio.h>

void at__env_warn(const at__env *env, const char *format, ...)
{
    char text[AT_ERROR_TEXT + 80];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    env->events->warning(env->events->context, text);
}

bool at__env_is_replay(const at__env *env)
{
    return at__device_info_of(env->device)->ordinal == AT__REPLAY_ORDINAL;
}

/* Replays count below zero; processes of a trace from 0. */
int at__env_trace_id(const at__env *env)
{
    int ordinal = at__device_info_of(env->device)->ordinal;
    return ordinal < 0 ? 0 : ordinal;
}

void at__env_trace(const at__env *env, const char *what, const char *detail, double start_s)
{
    at__trace_span(env->options->trace, AT__TRACK_DEVICE, at__env_trace_id(env), 0, what, detail, start_s,
                   at__now_s());
}
