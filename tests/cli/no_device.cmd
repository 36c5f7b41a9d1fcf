ldconfig -p | grep -q libcuda.so.1 && skip "there is a CUDA driver here"
at tune --device 0 4096x4096
at list devices
