/*
 * pace.h - the duration of trials and re-measurements on the device of a recording, for a replay that takes
 * as long.
 *
 * A store has the result of a trial, not its duration. So this is a model of a runner, checked against an
 * H200: 53,609 trials of transposes took 5.4 ms each, re-measurements included.
 */
#pragma once

#include "device/trial.h"

/* Seconds that a device was busy with a trial of this outcome; one that did not compile it never saw. */
double atx_pace_trial_s(const atx_measured *trial);

/* With a re-measurement of these rows. */
double atx_pace_remeasure_s(const atx_remeasure_row *rows, int count);
