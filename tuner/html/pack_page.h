/* pack_page.h - a pack as one HTML page: its kernels, which of them takes which sizes, what it loses and
 * where. */
#pragma once

#include "pack/pack.h"

at_status atx_html_pack(atx_str *out, const atx_pack_set *set, at_error *err) AT_MUST_CHECK;
