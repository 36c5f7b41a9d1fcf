# Finds CUDA's headers (needed to build) and NVRTC's folder (a hint for run time).
# Order: -DAT_CUDA_HOME, $CUDA_HOME, /usr/local/cuda, the wheels that tools/setup put into the build folder.
set(AT_CUDA_HOME "" CACHE PATH "a CUDA toolkit, or the folder of the nvidia-cuda-* wheels")

# Where a toolkit keeps what is for the processor that is built for; sbsa: servers with arm64.
set(at_cuda_target targets/x86_64-linux)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(at_cuda_target targets/sbsa-linux)
endif()

set(at_cuda_places ${AT_CUDA_HOME} $ENV{CUDA_HOME} /usr/local/cuda)
file(GLOB at_cuda_wheels ${PROJECT_BINARY_DIR}/cuda/nvidia/* ${PROJECT_SOURCE_DIR}/build/cuda/nvidia/*)
list(APPEND at_cuda_places ${at_cuda_wheels})

find_path(AT_CUDA_INCLUDE cuda.h PATHS ${at_cuda_places} PATH_SUFFIXES include ${at_cuda_target}/include NO_DEFAULT_PATH)
if(NOT AT_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h was not found in: ${at_cuda_places}\n"
    "Set CUDA_HOME to a CUDA toolkit, or let tools/setup program build: it fetches the headers.")
endif()

set(AT_NVRTC_FOLDER "")
if(SKBUILD) # pip's folders are gone after the build, and then anybody's
  set(at_cuda_places "")
endif()
foreach(place ${at_cuda_places})
  foreach(suffix lib64 lib ${at_cuda_target}/lib)
    file(GLOB found ${place}/${suffix}/libnvrtc.so*)
    if(found AND NOT AT_NVRTC_FOLDER)
      set(AT_NVRTC_FOLDER ${place}/${suffix})
    endif()
  endforeach()
endforeach()
