# Somebody's first commands on a machine that lacks something: each error names what to type next. A file that is no
# library stands for a driver that is not there; what the loader finds first it does not look for elsewhere.
mkdir none home
echo 'no library' >none/libcuda.so.1
without_driver() { LD_LIBRARY_PATH=$PWD/none at "$@"; }
echo '# no driver'
without_driver 4096x4096
without_driver list devices
without_driver run transpose 64x64 --config tiny
echo '# so, without a GPU'
unset AUTOTUNE_NO_SHIPPED
without_driver query 4096x4096 f32 | head -2 | sed "s/NVIDIA .* (/NVIDIA ... (/"
without_driver export 4096x4096 f32 -o winner.cu
grep -c __global__ winner.cu
export AUTOTUNE_NO_SHIPPED=1
echo '# nothing was tuned yet'
at query 4096x4096 f32
at show 4096x4096 f32
at report
at dump
at verify
at cache
at --device replay:nothing.jsonl 4096x4096
echo '# no NVRTC'
AUTOTUNE_NVRTC=$PWD/none/libnvrtc.so at check --only tiny --sample 1
echo '# no home'
env -u HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME "$AUTOTUNE" query 4096x4096 f32 2>&1
env -u HOME -u XDG_DATA_HOME AUTOTUNE_DB=new.db "$AUTOTUNE" query 4096x4096 f32 2>&1
fixture fixture.db
for home in /dev/null /proc/none; do
  HOME=$home XDG_DATA_HOME='' at --device replay:fixture.db 4096x4096 f32 --quiet
done
HOME=/proc/none XDG_DATA_HOME='' at --device replay:fixture.db 4096x4096 f32 --quiet --db here.db | head -2
echo '# slips'
at 4096
at transpose
at 4096x4096 f33
at qeury 4096x4096
at 4096x4096 --devise 0
