# Without --device query and export mean the same device, that of the newest result: another's winner of this very problem is another device's.
fixture store.db
"$AUTOTUNE" dump --db store.db | sed 's/NVIDIA H200/NVIDIA A100-SXM4-80GB/; s/"cc":90/"cc":80/; s/4096x4096/2048x2048/; s/"measured_at":"[0-9]*-/"measured_at":"2026-/; s/"elements":[0-9]*/"elements":4194304/' >a100.jsonl
"$AUTOTUNE" merge store.db a100.jsonl >/dev/null
at query 4096x4096 f32 --db store.db | head -n 3
"$AUTOTUNE" export 4096x4096 f32 --db store.db | grep -E '^// (transpose|configuration|not measured|  )'
at query 4096x4096 f32 --db store.db --device H200 | head -n 3
at query 2048x2048 f32 --db store.db | head -n 3
