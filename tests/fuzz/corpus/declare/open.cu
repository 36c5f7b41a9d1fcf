/*!autotune
op x
