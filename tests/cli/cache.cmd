umask 022
at cache
at cache extra
at cache --cache-limit 1G
AUTOTUNE_CACHE_LIMIT=many at cache
fixture cache.db
export AUTOTUNE_CACHE=$PWD/cache.db
at cache | sed 's/[0-9.]* MiB/N MiB/g'
at cache --shrink --cache-limit 0 | sed 's/[0-9.]* MiB/N MiB/g'
# Compiled kernels are code.
chmod 0660 cache.db
at cache | sed 's/[0-9.]* MiB/N MiB/g'
