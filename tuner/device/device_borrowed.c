/*
 * device_borrowed.c - see borrowed.h.
 *
 * Invariant: a trial without an answer is in exactly one place: `asked`, on its way to the device (`moving`),
 * with it (`there`), or in `answers`. So the number of queued trials is their sum, also when the device drops
 * its queue, as it may after a cancellation. A lost device keeps a trial queued until its borrower has seen
 * the failure: its trials must not count as done.
 */
#include "device/borrowed.h"

#include "device/device_kind.h"
#include "util/bug.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_MS 50 /* deadlines of trials are looked at so often, at least */

struct atx_borrowed {
    atx_device base; /* the borrower's end */
    atx_device *real;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t moved;
    atx_trial asked[ATX_DEVICE_QUEUE];
    int asked_count, moving, there;
    atx_measured answers[ATX_DEVICE_QUEUE];
    int answer_count;
    bool returned;
    at_status status; /* of the device */
    at_error why;
    int to_owner, to_borrower; /* eventfd */
};

static atx_borrowed *ours(atx_device *device)
{
    return (atx_borrowed *)device;
}

static void ring(int fd)
{
    uint64_t one = 1;
    ssize_t wrote = write(fd, &one, sizeof one);
    (void)wrote; /* full: it rings already */
}

static void hush(int fd)
{
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count);
    (void)got;
}

static int in_all(const atx_borrowed *l)
{
    return l->asked_count + l->moving + l->there + l->answer_count;
}

/* ---- the borrower ---- */

static int borrowed_queued(const atx_device *device)
{
    atx_borrowed *l = (atx_borrowed *)(uintptr_t)device; /* the lock is no part of the question */
    pthread_mutex_lock(&l->lock);
    int count = in_all(l);
    pthread_mutex_unlock(&l->lock);
    return count;
}

static at_status borrowed_submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    atx_borrowed *l = ours(device);
    pthread_mutex_lock(&l->lock);
    bool room = in_all(l) < ATX_DEVICE_QUEUE;
    if (room)
        l->asked[l->asked_count++] = *trial;
    pthread_mutex_unlock(&l->lock);
    ring(l->to_owner);
    return room ? AT_OK : atx_bug(err, "the borrowed device's queue is full");
}

static at_status borrowed_pump(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    atx_borrowed *l = ours(device);
    at_status status = AT_OK;
    hush(l->to_borrower);
    pthread_mutex_lock(&l->lock);
    *got = l->answer_count > 0;
    if (*got) {
        *out = l->answers[0];
        memmove(l->answers, l->answers + 1, (size_t)--l->answer_count * sizeof *l->answers);
        if (l->answer_count)
            ring(l->to_borrower);
    } else if (l->status != AT_OK) { /* its earlier measurements count */
        status = atx_fail(err, l->status, "%s", l->why.text);
        l->base.lost = true;
        l->there = 0;
    }
    pthread_mutex_unlock(&l->lock);
    return status;
}

static struct pollfd borrowed_fd(const atx_device *device)
{
    return (struct pollfd){ .fd = ((const atx_borrowed *)device)->to_borrower, .events = POLLIN };
}

/* The owner may be about to read memory that the borrower frees next. */
static void borrowed_close(atx_device *device)
{
    atx_borrowed *l = ours(device);
    pthread_mutex_lock(&l->lock);
    l->asked_count = 0;
    while (l->moving)
        pthread_cond_wait(&l->moved, &l->lock);
    l->returned = true;
    ring(l->to_owner); /* within the lock: without it the owner may be gone */
    pthread_mutex_unlock(&l->lock);
}

static at_status no_setup(atx_device *device, const atx_setup *setup, at_error *err)
{
    (void)device, (void)setup;
    return atx_bug(err, "a borrowed device was to open a problem");
}

static at_status no_remeasure(atx_device *device, const atx_remeasure_request *request,
                              atx_remeasure_row *rows, atx_remeasure_notes *notes, at_error *err)
{
    (void)device, (void)request, (void)rows, (void)notes;
    return atx_bug(err, "a borrowed device was to measure candidates again");
}

static const atx_device_kind BORROWED = {
    .close = borrowed_close,
    .setup = no_setup,
    .queued = borrowed_queued,
    .submit = borrowed_submit,
    .fd = borrowed_fd,
    .pump = borrowed_pump,
    .remeasure = no_remeasure,
};

/* ---- the owner ---- */

/* Takes the request to the device. */
static at_status carry(atx_borrowed *l, bool *returned, at_error *err)
{
    atx_trial trials[ATX_DEVICE_QUEUE];
    at_status status = AT_OK;
    pthread_mutex_lock(&l->lock);
    int count = l->asked_count;
    memcpy(trials, l->asked, (size_t)count * sizeof *trials);
    l->moving = count;
    l->asked_count = 0;
    *returned = l->returned;
    pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < count && status == AT_OK; i++)
        status = atx_device_submit(l->real, &trials[i], err);
    if (!count)
        return AT_OK;
    pthread_mutex_lock(&l->lock);
    l->moving = 0;
    l->there = atx_device_queued(l->real);
    pthread_cond_signal(&l->moved);
    pthread_mutex_unlock(&l->lock);
    return status;
}

static at_status bring_back(atx_borrowed *l, at_error *err)
{
    atx_measured m;
    bool got = true;
    at_status status = AT_OK;
    while (status == AT_OK && got) {
        status = atx_device_pump(l->real, &m, &got, err);
        pthread_mutex_lock(&l->lock);
        l->there = status == AT_OK ? atx_device_queued(l->real) : 1;
        if (status == AT_OK && got && !l->returned)
            l->answers[l->answer_count++] = m;
        pthread_mutex_unlock(&l->lock);
        if (got)
            ring(l->to_borrower);
    }
    return status;
}

/* Nothing more comes of it: the borrower is told, and waited for. */
static void tell_failure(atx_borrowed *l, at_status status, const at_error *why)
{
    bool returned = false;
    struct pollfd fd = { .fd = l->to_owner, .events = POLLIN };
    pthread_mutex_lock(&l->lock);
    l->status = status;
    l->why = *why;
    l->there = 1;
    pthread_mutex_unlock(&l->lock);
    ring(l->to_borrower);
    while (!returned) {
        pthread_mutex_lock(&l->lock);
        returned = l->returned;
        pthread_mutex_unlock(&l->lock);
        if (!returned && poll(&fd, 1, -1) > 0)
            hush(l->to_owner);
    }
}

at_status atx_borrowed_serve(atx_borrowed *l, at_error *err)
{
    bool returned = false;
    at_status status = AT_OK;
    while (status == AT_OK && !(returned && atx_device_queued(l->real) == 0)) {
        struct pollfd fds[] = { atx_device_fd(l->real), { .fd = l->to_owner, .events = POLLIN } };
        poll(fds, 2, LOOK_MS);
        hush(l->to_owner);
        status = carry(l, &returned, err);
        ATX_THEN(status, bring_back(l, err));
    }
    if (status != AT_OK)
        tell_failure(l, status, err);
    return status;
}

/* ---- both ---- */

atx_device *atx_borrowed_device(atx_borrowed *l)
{
    return &l->base;
}

at_status atx_borrowed_open(atx_borrowed **out, atx_device *device, at_error *err)
{
    atx_borrowed *l = calloc(1, sizeof *l);
    if (!l)
        return atx_no_memory(err);
    l->base.kind = &BORROWED;
    l->base.info = *atx_device_info_of(device);
    l->real = device;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->moved, NULL);
    l->to_owner = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->to_borrower = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->to_owner < 0 || l->to_borrower < 0) {
        atx_fail(err, AT_ERR_SYSTEM, "no descriptor is left for a second device: %s", strerror(errno));
        atx_borrowed_close(l);
        return AT_ERR_SYSTEM;
    }
    *out = l;
    return AT_OK;
}

void atx_borrowed_close(atx_borrowed *l)
{
    if (!l)
        return;
    if (l->to_owner >= 0)
        close(l->to_owner);
    if (l->to_borrower >= 0)
        close(l->to_borrower);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->moved);
    free(l);
}
