# Kernels that run on the CPU: each has one flaw, and that is found, with its line; the good one has none.
"$AUTOTUNE" check --template tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
at check flawed --execute --templates "$DATA/machine" --shape 512
at check flawed --execute --templates "$DATA/machine" --shape 512 --template no_barrier,good --format json
at check flawed --execute --templates "$DATA/machine" --shape 512 --template good
# The shape may stand behind the operation. One that it does not take is refused.
at check --execute flawed 1024 f32 --templates "$DATA/machine" --template good
at check flawed --execute --templates "$DATA/machine" --shape 511
at check flawed --execute --templates "$DATA/machine" --shape 512 --template good --format csv
# As many configurations as there are, however many are asked for; each of 66 problems, however many they are.
at check flawed --execute --templates "$DATA/machine" --shape 512 --template good --configs 9000000000000000000
at check --execute copy --template linear --configs 66 u8 f16 $(seq 33)
