/* message_queue.c - see message_queue.h. A queue for each rank, of which the first is on its way. */
#include "mpi/message_queue.h"

#include <stdlib.h>
#include <string.h>

typedef struct message {
    struct message *next;
    atx_str bytes;
} message;

typedef struct peer {
    message *first, *last;
    void *request; /* of the first; NULL: it is not on its way */
    size_t waiting;
    bool forgotten;
} peer;

struct atx_message_queue {
    const atx_link *link;
    peer *peers;
    int size, unsent; /* messages */
    char *in;         /* what was received last */
    size_t in_size;
    bool broken;
};

at_status atx_message_queue_open(atx_message_queue **out, const atx_link *link, int size, at_error *err)
{
    atx_message_queue *m = calloc(1, sizeof *m);
    if (m)
        m->peers = calloc((size_t)size, sizeof *m->peers);
    if (!m || !m->peers) {
        free(m);
        return atx_no_memory(err);
    }
    m->link = link;
    m->size = size;
    *out = m;
    return AT_OK;
}

static void drop_first(atx_message_queue *m, peer *p)
{
    message *first = p->first;
    p->first = first->next;
    p->waiting -= first->bytes.len;
    m->unsent--;
    atx_str_clear(&first->bytes);
    free(first);
}

/* One that is on its way still belongs to the link, and stays. */
void atx_message_queue_forget(atx_message_queue *m, int rank)
{
    peer *p = &m->peers[rank];
    p->forgotten = true;
    if (p->request) {
        m->unsent--;
        p->waiting -= p->first->bytes.len;
        p->first = p->first->next;
        p->request = NULL;
    }
    while (p->first)
        drop_first(m, p);
}

void atx_message_queue_close(atx_message_queue *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->size; i++)
        atx_message_queue_forget(m, i);
    free(m->peers);
    free(m->in);
    free(m);
}

bool atx_message_queue_send(atx_message_queue *m, int to, uint32_t kind, atx_str *body)
{
    peer *p = &m->peers[to];
    message *l = p->forgotten || (body && body->failed) ? NULL : calloc(1, sizeof *l);
    atx_frame_head head = { .kind = kind, .length = body ? (uint32_t)body->len : 0 };
    if (l) {
        atx_str_add_bytes(&l->bytes, &head, sizeof head);
        atx_str_add_bytes(&l->bytes, body ? atx_str_text(body) : "", head.length);
    }
    if (body)
        atx_str_clear(body);
    if (!l)
        return p->forgotten;
    if (l->bytes.failed) {
        atx_str_clear(&l->bytes);
        free(l);
        return false;
    }
    *(p->first ? &p->last->next : &p->first) = l;
    p->last = l;
    p->waiting += l->bytes.len;
    m->unsent++;
    atx_message_queue_pump(m);
    return true;
}

static bool pump_peer(atx_message_queue *m, int rank)
{
    peer *p = &m->peers[rank];
    bool moved = false;
    while (p->first) {
        int done = ATX_LINK_DONE;
        if (!p->request)
            done = m->link->send(rank, p->first->bytes.data, (int)p->first->bytes.len, &p->request);
        if (done == ATX_LINK_DONE && p->request)
            done = m->link->sent(&p->request);
        if (done == ATX_LINK_NOT_YET)
            break;
        drop_first(m, p); /* failed: the rank is gone, and its silence will say so */
        moved = true;
    }
    return moved;
}

bool atx_message_queue_pump(atx_message_queue *m)
{
    bool moved = false;
    for (int i = 0; i < m->size && m->unsent > 0; i++)
        moved |= pump_peer(m, i);
    return moved;
}

static bool room_for(atx_message_queue *m, size_t count)
{
    if (count <= m->in_size)
        return true;
    char *in = realloc(m->in, count);
    if (!in)
        return false;
    m->in = in;
    m->in_size = count;
    return true;
}

bool atx_message_queue_next(atx_message_queue *m, int *from, uint32_t *kind, atx_reader *body)
{
    atx_frame_head head;
    int count = 0;
    int there = m->broken ? ATX_LINK_NOT_YET : m->link->arrived(from, &count);
    if (there == ATX_LINK_NOT_YET)
        return false;
    if (there == ATX_LINK_FAILED || count < (int)sizeof head || *from < 0 || *from >= m->size ||
        !room_for(m, (size_t)count) || m->link->take(*from, m->in, count) != ATX_LINK_DONE) {
        m->broken = true;
        return false;
    }
    memcpy(&head, m->in, sizeof head);
    *kind = head.kind;
    *body = (atx_reader){ .at = m->in + sizeof head, .end = m->in + count };
    return true;
}

size_t atx_message_queue_waiting(const atx_message_queue *m, int to)
{
    return m->peers[to].waiting;
}

bool atx_message_queue_all_sent(const atx_message_queue *m)
{
    return m->unsent == 0;
}

bool atx_message_queue_broken(const atx_message_queue *m)
{
    return m->broken;
}
