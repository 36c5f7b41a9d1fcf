# Who waits for long is told what is being checked, where stderr is no terminal, too.
need_nvrtc
"$AUTOTUNE" check --jobs 1 >rows 2>said &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q ' kernels, .* a second; sm_90 .*/' said; do sleep 0.1; done
kill -INT $pid
wait $pid
printf '[exit %d]\n' $?
head -n 1 said | sed -E 's/[0-9]+ kernels, 0 failed, [0-9]+ a second; sm_90 .*/N kernels, 0 failed, so many a second/'
