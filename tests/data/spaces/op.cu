/*!autotune
op        spaces  # search spaces that papers on auto-tuning compare; sizes and checksums in tests/test_spaces.c
shape     size    # 1: a space here does not depend on a problem
type      T = f32
recorded
*/
