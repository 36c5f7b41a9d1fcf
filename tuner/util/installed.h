/*
 * installed.h - which GPUs this machine has, without CUDA: look-ups ask for these where no other is named.
 */
#ifndef AUTOTUNE_INSTALLED_H
#define AUTOTUNE_INSTALLED_H

#include <stddef.h>

/* Where the driver tells; a folder for each GPU, with a file `information` in it. */
#define ATX_INSTALLED_FOLDER "/proc/driver/nvidia/gpus"

/* The model that all GPUs of the machine are ("NVIDIA H200"); empty where there is none, or more than one. */
void atx_installed_model(char *name, size_t size, const char *folder);

#endif
