/* pace.c - see pace.h. runner/measure.c describes the steps of a trial. */
#include "device/pace.h"

/* Loading the code, messages, comparing the whole output. */
#define TRIAL_S 2e-3
/* Before the samples: buffers are filled, the kernel is launched and its output compared, the first estimate.
 * Each moves as many bytes as a launch, or more. */
#define LAUNCHES_BEFORE 5
#define SAMPLE_S        200e-6 /* a sample lasts at least so long */

/* A runner ends and another one opens the problem, twice: a suspect is tried again. */
#define CRASH_S   (2 * 0.5)
#define TIMEOUT_S (2 * 4.0 + CRASH_S)
#define WRONG     3 /* times in a row */

#define FINAL_ROUNDS   15
#define ROUNDS_LIMIT_S 4.0

static double longer_s(double a, double b)
{
    return a > b ? a : b;
}

double atx_pace_trial_s(const atx_measured *trial)
{
    double sample_s = longer_s(trial->timing.median_s, SAMPLE_S);
    switch (trial->outcome) {
    case ATX_TIMED:
        return TRIAL_S + (double)(LAUNCHES_BEFORE + trial->timing.samples) * sample_s;
    case ATX_WRONG_RESULT:
        return WRONG * (TRIAL_S + LAUNCHES_BEFORE * sample_s);
    case ATX_LAUNCH_FAILED:
        return TRIAL_S;
    case ATX_CRASHED:
        return CRASH_S;
    case ATX_TIMED_OUT:
        return TIMEOUT_S;
    case ATX_COMPILE_FAILED:
    case ATX_OUTCOMES:
        break;
    }
    return 0;
}

double atx_pace_remeasure_s(const atx_remeasure_row *rows, int count)
{
    double sum_s = 0;
    for (int i = 0; i < count; i++)
        if (rows[i].outcome == ATX_TIMED)
            sum_s += TRIAL_S + FINAL_ROUNDS * longer_s(rows[i].timing.median_s, SAMPLE_S);
    return sum_s < ROUNDS_LIMIT_S ? sum_s : ROUNDS_LIMIT_S;
}
