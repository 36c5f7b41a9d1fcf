# A file that is wrong takes itself out and says so: what else there is works, and `check` fails.
mkdir -p dir/copy dir/wrong
printf '/*!autotune\ntemplate bad\nparam N =\n*/\n' >dir/copy/bad.cu
printf '/*!autotune\nop wrong\n*/\n' >dir/wrong/op.cu
at space copy 64 --only linear --templates dir
at space copy 64 --only bad --templates dir
at space wrong 64 --templates dir
at list ops --templates dir
need_nvrtc
at check copy --only linear --shape 64x64 --dtype f32 --templates dir --sample 1
