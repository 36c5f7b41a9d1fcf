/* test_borrowed.c - a device in the hands of another thread, which loses nothing and hides no failure. */
#include "device/device_kind.h"
#include "device/borrowed.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

/* Answers each trial, until it breaks. */
typedef struct stub {
    atx_device base;
    int64_t queue[ATX_DEVICE_QUEUE];
    int count, answered, most; /* most: of answers; then it is lost */
} stub;

static int stub_queued(const atx_device *device)
{
    return ((const stub *)device)->count;
}

static at_status stub_submit(atx_device *device, const atx_trial *trial, at_error *err)
{
    stub *d = (stub *)device;
    (void)err;
    cr_assert_lt(d->count, ATX_DEVICE_QUEUE);
    d->queue[d->count++] = trial->tag;
    return AT_OK;
}

static struct pollfd stub_fd(const atx_device *device)
{
    (void)device;
    return (struct pollfd){ .fd = -1 };
}

static at_status stub_pump(atx_device *device, atx_measured *out, bool *got, at_error *err)
{
    stub *d = (stub *)device;
    *got = false;
    if (d->count && d->answered == d->most)
        return atx_fail(err, AT_ERR_DEVICE, "it fell off the bus");
    if (!d->count)
        return AT_OK;
    *out = (atx_measured){ .tag = d->queue[0], .outcome = ATX_TIMED };
    memmove(d->queue, d->queue + 1, (size_t)--d->count * sizeof *d->queue);
    d->answered++;
    *got = true;
    return AT_OK;
}

static const atx_device_kind STUB = {
    .queued = stub_queued, .submit = stub_submit, .fd = stub_fd, .pump = stub_pump
};

typedef struct lender {
    atx_borrowed *borrowed;
    at_status status;
    at_error err;
    pthread_t thread;
} lender;

static void *serve(void *context)
{
    lender *l = context;
    l->status = atx_borrowed_serve(l->borrowed, &l->err);
    return NULL;
}

static void lend(lender *l, stub *d)
{
    at_error err = { 0 };
    d->base.kind = &STUB;
    cr_assert_eq(atx_borrowed_open(&l->borrowed, &d->base, &err), AT_OK, "%s", err.text);
    cr_assert_eq(pthread_create(&l->thread, NULL, serve, l), 0);
}

static void end(lender *l)
{
    atx_device_close(atx_borrowed_device(l->borrowed));
    pthread_join(l->thread, NULL);
    atx_borrowed_close(l->borrowed);
}

static void submit(atx_device *device, int64_t tag)
{
    at_error err = { 0 };
    atx_trial trial = { .tag = tag };
    cr_assert_eq(atx_device_submit(device, &trial, &err), AT_OK, "%s", err.text);
}

/* Waits on its descriptor, for hours if nothing is said. */
static at_status next(atx_device *device, atx_measured *out, at_error *err)
{
    bool got = false;
    at_status status = AT_OK;
    while (!got && status == AT_OK) {
        struct pollfd fd = atx_device_fd(device);
        status = atx_device_pump(device, out, &got, err);
        if (!got && status == AT_OK)
            poll(&fd, 1, 3600000);
    }
    return status;
}

Test(borrowed, every_trial_is_answered_in_order)
{
    stub d = { .most = 1000 };
    lender l = { .status = AT_OK };
    atx_measured m;
    at_error err = { 0 };
    lend(&l, &d);
    atx_device *device = atx_borrowed_device(l.borrowed);
    for (int64_t sent = 0, seen = 0; seen < 100; seen++) {
        for (; sent < 100 && atx_device_queued(device) < ATX_DEVICE_QUEUE; sent++)
            submit(device, sent);
        cr_assert_eq(next(device, &m, &err), AT_OK, "%s", err.text);
        cr_assert_eq(m.tag, seen);
    }
    cr_assert_eq(atx_device_queued(device), 0);
    end(&l);
    cr_assert_eq(l.status, AT_OK);
}

/* Who looks whether all is done before it hears of the failure must not think so. */
Test(borrowed, one_that_is_lost_is_not_done_until_that_was_heard)
{
    for (int round = 0; round < 50; round++) {
        stub d = { .most = 2 };
        lender l = { .status = AT_OK };
        atx_measured m;
        at_error err = { 0 };
        int answers = 0;
        lend(&l, &d);
        atx_device *device = atx_borrowed_device(l.borrowed);
        for (int i = 0; i < ATX_DEVICE_QUEUE; i++)
            submit(device, i);
        while (next(device, &m, &err) == AT_OK) {
            answers++;
            for (int i = 0; i < 1000; i++)
                cr_assert_gt(atx_device_queued(device), 0);
        }
        cr_assert_eq(answers, 2);
        cr_assert(atx_device_is_lost(device) && strstr(err.text, "fell off the bus"));
        end(&l);
        cr_assert_eq(l.status, AT_ERR_DEVICE, "its owner knows, too");
    }
}

Test(borrowed, what_was_given_back_is_not_waited_for)
{
    stub d = { .most = 1000 };
    lender l = { .status = AT_OK };
    lend(&l, &d);
    for (int i = 0; i < ATX_DEVICE_QUEUE; i++)
        submit(atx_borrowed_device(l.borrowed), i);
    end(&l);
    cr_assert_eq(l.status, AT_OK);
    cr_assert_eq(d.count, 0, "nothing is left with the device for the next problem");
}
