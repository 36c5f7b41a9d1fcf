# Sizes that are choices have words wherever a problem is named, and `check --execute` takes them like sizes.
at space 'rmsnorm_quant add=yes group=g128 7x4096' bf16 | head -n 4
at query 'rmsnorm_quant group=g128 add=yes 7x4096' bf16 --db none.db --device H200
at tune 'rmsnorm_quant 2x1x2x7x4095' bf16 --device replay:none.db
at tune 'block_quant 2147483648x1' bf16 --device replay:none.db
at check --execute group_quant 'layout=columns group=g32 3x64' bf16 --sample 2
at check --execute group_quant layout=columns bf16
