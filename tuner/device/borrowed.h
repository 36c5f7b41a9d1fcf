/*
 * borrowed.h - a device that one thread uses and another owns: the owner serves it, the borrower uses it like
 * any device.
 *
 * A device may block its thread for seconds: a runner that died starts again, a problem is opened anew. A
 * borrower with several devices must not block meanwhile. So there is a message queue between the two: the
 * borrower's end is a device of its own, whose calls never wait, and the owner's thread moves trials to the
 * real device and results back. A submitted trial must stay in place until it is measured or returned.
 */
#pragma once

#include "util/fail.h"

typedef struct atx_device atx_device; /* device.h, which its kinds include */
typedef struct atx_borrowed atx_borrowed;

/* By the owner, with the problem open on the device. AT_ERR_SYSTEM: no descriptor is left. */
at_status atx_borrowed_open(atx_borrowed **out, atx_device *device, at_error *err) AT_MUST_CHECK;
void atx_borrowed_close(atx_borrowed *borrowed); /* once atx_borrowed_serve has returned; NULL is allowed */

/*
 * The borrower's end, which gives the device back when it is closed, with whatever is queued: that is not
 * measured any more. It has no setup and no re-measurement. When the device is lost, or ends because it was
 * cancelled, its pump says so; it can only be closed then.
 */
atx_device *atx_borrowed_device(atx_borrowed *borrowed);

/* By the owner: until the borrower has closed its end. What became of the device meanwhile. */
at_status atx_borrowed_serve(atx_borrowed *borrowed, at_error *err) AT_MUST_CHECK;
