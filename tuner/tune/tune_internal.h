/*
 * tune_internal.h - the devices of a run, each with its session and its thread. Private to tune*.c:
 * tune_devices.c starts them, tune.c distributes problems.
 */
#pragma once

#include "tune/cost.h"
#include "tune/session.h"
#include "tune/tune.h"

#include <pthread.h>

typedef struct atx_team atx_team;
typedef struct atx_group atx_group; /* of devices of one model, which have a list of problems */

struct atx_team {
    const atx_problem *problems;
    size_t count;
    const atx_catalog *catalog;
    const atx_tune_options *options;
    const atx_tune_events *events;
    atx_tune_events member_events; /* those that the devices' threads call */
    atx_cost *most_expensive; /* the problems in the order of groups of several devices; NULL: as listed */
    pthread_mutex_t lock;     /* of everything below, and of the caller's events */
    atx_group *groups;        /* also of `joining` */
    int group_count;
    int starting, here;               /* devices whose model is not known yet, and that have started */
    atomic_bool ending;               /* a device did not start: no problem is begun any more */
    pthread_mutex_t joining;          /* held while a device's thread looks for its group */
    char warned[AT_ERROR_TEXT + 160]; /* last: with what is longest, of pass_over */
    atx_claims *claims;
    int *worker_owner; /* of each compile worker of all places, the device that it works for */
};

typedef struct atx_member {
    atx_team *team;
    int index;    /* among all */
    bool awaited; /* its device is there */
    atx_device *device;
    atx_session *session;
    bool replay;
    at_status begun; /* of the session; looked at when the device is there */
    at_error why;
    atx_group *group;
    size_t ahead;   /* the place that is drawn next ... */
    bool has_ahead; /* ... if it was drawn before its time */
    pthread_t thread;
    bool started;
    bool absent;      /* its device did not start: others go on without it */
    bool passed_over; /* it was lost, and others of its model do its work: if there are any in the end */
    at_status status;
    at_error err;
} atx_member;

typedef struct atx_members {
    atx_member *list;
    int count;
} atx_members;

/* Without a list all devices: the first one, which is open already, has counted them. */
at_status atx_team_start_devices(atx_members *all, atx_team *t, at_error *err) AT_MUST_CHECK;

/* Waits for a member's device. AT_OK also where it did not start and is left out: m->absent. */
at_status atx_member_await(atx_member *m, at_error *err) AT_MUST_CHECK;
void atx_member_close(const atx_member *m); /* also one that was never started */

/* `context` is the team. A warning that was the last one already is not repeated. */
void atx_team_warn(void *context, const char *text);
