/* export_formats.c - the table of formats; see export.h. */
#include "export/export.h"

#include <string.h>

static const atx_export_format FORMATS[] = {
    { "cu", "self-contained CUDA source, with a function that launches the kernel", false, atx_export_cu },
    { "ptx", "the kernel as PTX for the device of the answer", false, atx_export_ptx },
    { "cubin", "the kernel compiled for that device", true, atx_export_cubin },
    { "json", "source, arguments, launch geometry and how it was measured", false, atx_export_json },
};

const atx_export_format *atx_export_format_at(int index)
{
    return index >= 0 && (size_t)index < sizeof FORMATS / sizeof *FORMATS ? &FORMATS[index] : NULL;
}

const atx_export_format *atx_export_format_find(const char *name)
{
    const atx_export_format *f = NULL;
    for (int i = 0; (f = atx_export_format_at(i)) && strcmp(f->name, name) != 0; i++)
        ;
    return f;
}
