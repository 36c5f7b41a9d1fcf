"""Rows of k and v out of a paged cache: what torch.compile makes, and a copy of as many bytes."""

from . import kv, serving

NAME = "kv_gather"
work = kv.work


def problems():
    return [f"{NAME} {text} bf16" for text in ("1x65536x8192x1024", "2x65536x8192x1024", "1x65536x256x1024")]


def buffers(problem):
    return kv.buffers(problem, False)


def gathered(k_cache, v_cache, slot, k_scale, v_scale, like):
    if k_cache.dtype == like.dtype:
        return k_cache[slot], v_cache[slot]
    return tuple((cache[slot].float() * scale).to(like.dtype) for cache, scale in ((k_cache, k_scale), (v_cache, v_scale)))


def peers(problem, buffers):
    return serving.peers(problem, work(problem)[0], gathered, *buffers[2:], buffers[0])


def check(problem, buffers):
    k, v, *rest = buffers
    same = all(bool((got == right).all()) for got, right in zip((k, v), gathered(*rest, k)))
    return "" if same else "a row is not that of its slot"
