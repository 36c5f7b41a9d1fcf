at tun
at --devise 0 4096x4096
at tune
at tune --device x 4096x4096
at tune --device 0,0 4096x4096
at tune --max-trials many 4096x4096
at tune --budget 5q 4096x4096
at tune --strategy clever 4096x4096
at tune --format xml 4096x4096
at tune --only nonesuch 4096x4096
at tune --fix tile_rows.TILE 4096x4096
at tune --op sort 4096x4096
at tune --quiet=1 4096x4096
at tune --db
at query
at show 4096x4096 --by color
at list things
at space 4096x4096 --arch sm_12
at space 4096x4096 --only tile_rows --fix tile_rows.TILE=33
at space 4096x4096 --only nonesuch
at space 4096x4096 --fix nonesuch.X=1
at space 4096x4096 --arch sm_90 --device 0
at space 4096x4096 --device zero
at space 4096x4096 --device 00
at tune 4096x4096 --fix tile_rows.TILE=33
at tune 4096x4096 --fix tile_rows.SIZE=32
at tune 4096x4096 --dtype f99
at tune 4096x4096 --budget inf
at 4096x40q96
at copy 4096x4096 f99
