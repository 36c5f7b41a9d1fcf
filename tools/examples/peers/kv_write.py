"""Rows of k and v into a paged cache: what torch.compile makes, vLLM's kernel, and a copy of as many bytes."""

from . import kv, optional, serving

NAME = "kv_write"
work = kv.work


def problems():
    return [f"{NAME} {text} bf16" for text in ("1x65536x8192x1024", "2x65536x8192x1024", "1x65536x256x1024", "2x65536x256x1024")]


def buffers(problem):
    return kv.buffers(problem, True)


def written(k_cache, v_cache, k, v, slot, k_scale, v_scale):
    if k_cache.dtype != k.dtype:
        k, v = ((x.float() * (1 / scale)).clamp(-serving.MOST, serving.MOST) for x, scale in ((k, k_scale), (v, v_scale)))
    k_cache[slot] = k.to(k_cache.dtype)
    v_cache[slot] = v.to(v_cache.dtype)


def by_vllm(k_cache, v_cache, k, v, slot, k_scale, v_scale):
    """Of pages of 16 slots, and heads of 128."""
    import torch

    from . import by_vllm

    kind = "auto" if k_cache.dtype == k.dtype else "fp8"
    caches = (cache if kind == "auto" else cache.view(torch.uint8) for cache in (k_cache, v_cache))
    caches = (cache.unflatten(1, (-1, 128)).unflatten(0, (-1, 16)) for cache in caches)
    return by_vllm.launch("kv_write", k.unflatten(1, (-1, 128)), v.unflatten(1, (-1, 128)), *caches, slot, kind, k_scale, v_scale)


def peers(problem, buffers):
    own = [x.clone() for x in buffers[:2]]
    found = serving.peers(problem, work(problem)[0], written, *own, *buffers[2:])
    optional(found, "vLLM", lambda: by_vllm(*own, *buffers[2:]))
    return found


def check(problem, buffers):
    k_cache, v_cache, k, v, slot, _, _ = buffers
    same = all(bool((cache[slot].float() == x.float().clamp(-serving.MOST, serving.MOST).to(cache.dtype).float()).all())
               for cache, x in ((k_cache, k), (v_cache, v)))
    return "" if same else "a row is not what it was written from"
