"$AUTOTUNE" check --template tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
# Templates of experiments that lost still compile, so that they can be measured again.
"$AUTOTUNE" check transpose --templates "$DATA/../../tools/experiments/templates" --template walk,cluster --shape 1000x777 --dtype u8,f64 --sample 3 2>&1 | sed "/kernels a second/d" | cut -c1-66
