# Few kernels for every size, as C source; what is wrong on the command line.
at pack
at pack nothing --sizes rows=1..4
at pack transpose f32
at pack transpose f32 --sizes 'rows=1..16 depth=2'
at pack transpose f32 --sizes 'rows=16..1 cols=2'
at pack transpose f32 --sizes 'rows=1..16 cols=2' --within much
at pack transpose f32 --sizes 'rows=1..16 cols=2' --name 'a-b'
at pack transpose f32 --sizes 'rows=1..16 cols=2' --kernels 40
at pack permute f32 --sizes 'a=1..4'
at pack transpose f32 --sizes 'rows=1,2..8,16,9..7 cols=2'
printf '8x8 f32 calls=3\ncopy 64 f32\n16x8 f64\n' >asked.txt
at pack transpose f16 --shapes asked.txt
at pack transpose --sizes 'rows=1 cols=2' --shapes asked.txt
at pack gather_rows i64 --sizes 'rows=1..16 cols=2'
# Sources for nvcc need no NVRTC.
at pack transpose u8 --sizes 'rows=1..512 cols=64' --kernels 2 --problems 24 --device H200 --name turn --source -o sources | grep -v '^ '
grep -o '^namespace.*\|extern "C" __global__ void [a-z_(]*\|pk_code_.::[a-z_0-9]*' sources/turn.cu
grep -o '"code": [-0-9]*, "code_bytes": [0-9]*' sources/turn.json | uniq
need_nvrtc
at pack transpose u8 --sizes 'rows=1..512,cols=64' --kernels 3 --problems 24 --device H200 --name packed -o made | grep -v '^ '
grep -c '^static int pk_kernel_' made/packed.c
sed -n '/^CUresult packed(/,/;/p' made/packed.h
grep -o '"\(schema\|sizes\)".*' made/packed.json
# Two models of GPU, and an architecture that neither has.
at pack transpose u8 --sizes 'rows=1..512 cols=64' --kernels 2 --problems 24 --device H200,H100 --arch sm_90,sm_80 -o two | grep -v '^ '
grep -o '"\(device\|arch\)".*' two/transpose_u8.json
at pack transpose u8 --sizes 'rows=1..512 cols=64' --arch sm_1 -o two
# Problems of other operations and types are for other packs.
at pack transpose f32 --shapes asked.txt --problems 24 --device H200 --name asked -o listed | grep -v '^  sizes chosen'
grep -o '"\(sizes\|listed_problems\)".*' listed/asked.json
# Equal requests give equal files.
at pack transpose u8 --sizes 'rows=1..512,cols=64' --kernels 3 --problems 24 --device H200 --name packed -o again >/dev/null
cmp <(sed '/Made by/d' made/packed.c) <(sed '/Made by/d' again/packed.c)
(ulimit -f 0; at pack transpose u8 --sizes 'rows=1..512 cols=64' --kernels 1 --problems 24 --device H200 -o full) | cat
