# A tuning problem in the T1 format and the kernel that it names: its parameters and conditions, blocks and grid.
need_nvrtc
mkdir kt
cat >kt/scale.json <<'END'
{"General": {"BenchmarkName": "scale"},
 "ConfigurationSpace": {
   "TuningParameters": [
     {"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128]", "Default": 32},
     {"Name": "block_size_y", "Type": "int", "Values": "[1, 2]", "Default": 1},
     {"Name": "tile_size_x", "Type": "int", "Values": "[1, 2, 4]", "Default": 1},
     {"Name": "read_only", "Type": "int", "Values": "[0, 1]", "Default": 0}],
   "Conditions": [
     {"Expression": "block_size_x * tile_size_x <= 256 and not (read_only == 1 and tile_size_x == 4)", "Parameters": []},
     {"Expression": "32 <= block_size_x * block_size_y <= 128", "Parameters": []}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "scale_kernel", "KernelFile": "scale.cu",
   "GlobalSizeType": "CUDA", "LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": "1"},
   "GridDivX": ["block_size_x", "tile_size_x"], "GridDivY": ["block_size_y"], "ProblemSize": [4096, 1024],
   "Arguments": [{"Name": "out", "Type": "float", "AccessType": "WriteOnly"}]}}
END
cat >kt/sums.json <<'END'
{"General": {"BenchmarkName": "sums of four"},
 "ConfigurationSpace": {
   "TuningParameters": [
     {"Name": "BLOCK", "Type": "int", "Values": "[64, 128]", "Default": 128},
     {"Name": "HALF", "Type": "int", "Values": "[0, 1]", "Default": 1}],
   "Conditions": [{"Expression": "HALF == 0 or BLOCK == 64", "Parameters": ["HALF", "BLOCK"]}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "sums", "KernelFile": "sums.cu",
   "CompilerOptions": ["-use_fast_math", "-I. -std=c++14"], "SharedMemory": 1024,
   "LocalSize": {"X": "BLOCK"}, "GlobalSizeType": "OpenCL", "GlobalSize": {"X": "5 * 1000"},
   "Arguments": [
     {"Name": "by", "Type": "float", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 0.25},
     {"Name": "flags", "Type": "uint32", "MemoryType": "Scalar", "FillValue": 4294967295},
     {"Name": "in", "Type": "float4", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 5000, "FillType": "Random", "FillValue": 20.0},
     {"Name": "steps", "Type": "int32", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 7, "FillType": "Generator", "DataSource": "i % 4"},
     {"Name": "result", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 5000, "FillType": "Constant", "FillValue": 0.0, "Output": 1},
     {"Name": "calls", "Type": "int32", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": 1, "FillType": "Constant", "FillValue": 0.0},
     {"Name": "marks", "Type": "int8", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 8, "FillType": "Constant", "FillValue": 0},
     {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "5000"}]}}
END
cat >kt/sums.cu <<'END'
#ifndef kernel_tuner
#error these macros are the tuner's
#endif
#ifndef LANES
#define LANES 1 /* not among the parameters */
#endif
extern "C" __global__ void sums(float by, unsigned flags, const float *in, const int *steps, float *out, int *calls, unsigned char *marks, int n)
{
    extern __shared__ float kept[];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    kept[threadIdx.x] = by * steps[flags % 7];
    if (i < n)
        out[i] = kept[threadIdx.x] * (in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + (HALF ? 0 : in[4 * i + 3]));
    if (i == 0)
        calls[0]++;
    if (i < 8)
        marks[i] = i;
}
END
cat >kt/scale.cu <<'END'
__global__ void scale_kernel(float *out, const float *in, float a)
{
    const int y = blockIdx.y * block_size_y + threadIdx.y;
    for (int k = 0; k < tile_size_x; k++) {
        const int x = (blockIdx.x * tile_size_x + k) * block_size_x + threadIdx.x;
#if read_only == 1
        out[y * 4096 + x] = a * __ldg(in + y * 4096 + x) + OFFSET;
#else
        out[y * 4096 + x] = a * in[y * 4096 + x] + OFFSET;
#endif
    }
}
__global__ void another(int *x) {}
END
at adopt kt/scale.json -o templates
cat templates/scale/op.cu templates/scale/adopted.cu
at space scale 4096x1024 --templates templates | sed 's/ in .*//'
at check scale --shape 4096x1024 --templates templates --sample 20 --jobs 1 2>&1 | grep -v 'open question'
# All that the problem says is taken: values (also those in quotes), sizes, contents, options, the launch, and no
# parameter besides its own. Integers of one size are one type. Its defaults break its own condition, so the nearest
# configuration that does not is taken.
at adopt kt/sums.json -o templates
cat templates/sums/op.cu templates/sums/adopted.cu
at check sums --shape 5000 --templates templates --jobs 1 2>&1 | grep -v 'open question'
# The file may be named; one that is not there is said to be missing.
at adopt kt/scale.cu kt/scale.json -o elsewhere >/dev/null
ls elsewhere/scale
sed -i 's/"scale.cu"/"gone.cu"/' kt/scale.json
at adopt kt/scale.json -o third
at adopt kt/scale.json kt/scale.json
sed 's/"KernelFile": "gone.cu",//' kt/scale.json >kt/nowhere.json
at adopt kt/nowhere.json
# What a generator makes is known by its ends, and whether it ascends.
for source in 'i' '1+(i//4)*(0.1 + 0.05*(i%4)) if i%4 < 3 else ((i//4)%10)*0.1' '3 - 2**2 * (i > 9 and i < 20)' '7' 'sin(i)'; do
  rm -rf sources
  sed "s|i % 4|$source|; s|\"steps\", \"Type\": \"int32\"|\"steps\", \"Type\": \"float\"|" kt/sums.json >kt/source.json
  sed 's|const int \*steps|const float *steps|' kt/sums.cu >kt/source.cu
  at adopt kt/source.json kt/source.cu -o sources >/dev/null
  grep steps sources/sums/op.cu
done
# Names that nothing defines are parameters; functions and types are not.
cat >kt/undefined.cu <<'END'
#include "part.h"
__global__ void copy(int *out, const int *in, int n)
{
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    missing_type t;
    if (i < n)
        out[i] = in[i] + DEFINED * FACTOR + missing(i);
}
END
echo '#define DEFINED 1' >kt/part.h
at adopt kt/undefined.cu -o fourth # `copy` is built in
grep param fourth/copy_adopted/adopted.cu
# A simple kernel's draft passes `check` as it is, but for the questions.
printf '__global__ void add(float *c, const float *a, const float *b, int n)\n{\n    int i = blockIdx.x * BLOCK + threadIdx.x;\n    if (i < n)\n        c[i] = a[i] + b[i];\n}\n' >kt/add.cu
at adopt kt/add.cu -o fifth
at check add --shape 1000 --templates fifth --jobs 1
