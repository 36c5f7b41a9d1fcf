/*!autotune
template  prl_2  # record linkage, 2 x 2

param     CACHE_L_CB          = 0 1
param     CACHE_P_CB          = 0 1
param     G_CB_RES_DEST_LEVEL = 2
param     L_CB_RES_DEST_LEVEL = 2 1 0
param     P_CB_RES_DEST_LEVEL = 2 1 0
param     INPUT_SIZE_L        = 2
param     L_CB_SIZE_L         = 1..2
param     P_CB_SIZE_L         = 1..2
param     OCL_DIM_L           = 0 1
param     NUM_WG_L            = 1..2
param     NUM_WI_L            = 1..2
param     INPUT_SIZE_R        = 2
param     L_CB_SIZE_R         = 1..2
param     P_CB_SIZE_R         = 1..2
param     OCL_DIM_R           = 0 1
param     NUM_WG_R            = 1..2
param     NUM_WI_R            = 1..2
param     L_REDUCTION         = 1
param     P_WRITE_BACK        = 0
param     L_WRITE_BACK        = 1

require   L_CB_RES_DEST_LEVEL <= G_CB_RES_DEST_LEVEL
require   P_CB_RES_DEST_LEVEL <= L_CB_RES_DEST_LEVEL
require   INPUT_SIZE_L % L_CB_SIZE_L == 0
require   L_CB_SIZE_L % P_CB_SIZE_L == 0
require   INPUT_SIZE_L / L_CB_SIZE_L % NUM_WG_L == 0
require   L_CB_SIZE_L / P_CB_SIZE_L % NUM_WI_L == 0
require   NUM_WI_L <= INPUT_SIZE_L + NUM_WG_L - 1 / NUM_WG_L
require   INPUT_SIZE_R % L_CB_SIZE_R == 0
require   L_CB_SIZE_R % P_CB_SIZE_R == 0
require   INPUT_SIZE_R / L_CB_SIZE_R % NUM_WG_R == 0
require   L_CB_SIZE_R / P_CB_SIZE_R % NUM_WI_R == 0
require   NUM_WI_R <= INPUT_SIZE_R + NUM_WG_R - 1 / NUM_WG_R
require   OCL_DIM_R != OCL_DIM_L
require   NUM_WG_R == 1 || NUM_WG_R % L_CB_SIZE_R == 0
*/
