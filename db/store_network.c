/*
 * store_network.c - whether a file is on a network file system, where SQLite must not be trusted: its locks
 * are the file system's, and its log beside the database (-shm) is memory that hosts do not share.
 */
#include "db/store.h"

#include <string.h>
#include <sys/vfs.h>

/* Numbers of statfs(2). */
static const struct network {
    uint32_t type;
    const char *name;
} NETWORKS[] = {
    { 0x6969, "NFS" },       { 0x0BD00BD0, "Lustre" }, { 0x47504653, "GPFS" },     { 0x19830326, "BeeGFS" },
    { 0xFF534D42, "CIFS" },  { 0xFE534D42, "CIFS" },   { 0x517B, "SMB" },          { 0x00C36400, "Ceph" },
    { 0x5346414F, "AFS" },   { 0x6B414653, "AFS" },    { 0x20030528, "OrangeFS" }, { 0x013661, "GFS2" },
    { 0x7461636F, "OCFS2" }, { 0xAAD7AAEA, "PanFS" },
};

const char *atx_store_network_name(uint32_t type)
{
    for (size_t i = 0; i < sizeof NETWORKS / sizeof *NETWORKS; i++)
        if (NETWORKS[i].type == type)
            return NETWORKS[i].name;
    return NULL;
}

/* What is not there yet will be where its folder is. */
const char *atx_store_network(const char *path)
{
    struct statfs info;
    atx_str at = { 0 };
    atx_str_add(&at, path);
    bool known = !at.failed && statfs(at.data, &info) == 0;
    while (!known && !at.failed) {
        char *slash = strrchr(at.data, '/');
        const char *folder = !slash ? "." : slash == at.data ? "/" : at.data;
        if (slash)
            *slash = '\0';
        known = statfs(folder, &info) == 0;
        if (!slash || slash == at.data)
            break;
    }
    atx_str_clear(&at);
    return known ? atx_store_network_name((uint32_t)info.f_type) : NULL;
}
