/*!autotune
template  gemm  # matrix product with many tiles and layouts

param     GEMMK     = 0
param     MWG       = 16 32 64 128
param     NWG       = 16 32 64 128
param     KWG       = 16 32
param     MDIMC     = 8 16 32
param     NDIMC     = 8 16 32
param     MDIMA     = 8 16 32
param     NDIMB     = 8 16 32
param     KWI       = 2
param     VWM       = 1 2 4 8
param     VWN       = 1 2 4 8
param     STRM      = 0 1
param     STRN      = 0 1
param     SA        = 0 1
param     SB        = 0 1
param     KREG      = 1
param     PRECISION = 32

require   KWG % KWI == 0
require   MWG % (MDIMC * VWM) == 0
require   NWG % (NDIMC * VWN) == 0
require   MWG % (MDIMA * VWM) == 0
require   NWG % (NDIMB * VWN) == 0
require   KWG % (MDIMC * NDIMC / MDIMA) == 0
require   KWG % (MDIMC * NDIMC / NDIMB) == 0
require   !(MWG == 128 && NWG == 128 && MDIMC == 8 && NDIMC == 8)
*/
