/* plain.cuh - what a rendered source has anyway. */
#pragma once
using T = float;
