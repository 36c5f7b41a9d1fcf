# Finds CUDA's headers (needed to build) and NVRTC's folder (a hint for run time).
# Order: -DAT_CUDA_HOME, $CUDA_HOME, $CUDA_PATH, $CONDA_PREFIX, /usr/local/cuda, what tools/setup put into the build
# folder, Debian's package nvidia-cuda-toolkit.
#
# As a script (cmake -P) it fails where the machine has no such thing: tools/setup asks so.
set(AT_CUDA_HOME "" CACHE PATH "a CUDA toolkit, or the folder of the nvidia-cuda-* wheels")

# Where a toolkit keeps what is for the processor that is built for; sbsa: servers with arm64.
set(at_cuda_target targets/x86_64-linux)
set(at_debian_target x86_64-linux-gnu)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(at_cuda_target targets/sbsa-linux)
  set(at_debian_target aarch64-linux-gnu)
endif()

set(at_cuda_places ${AT_CUDA_HOME} $ENV{CUDA_HOME} $ENV{CUDA_PATH} $ENV{CONDA_PREFIX} /usr/local/cuda)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  list(APPEND at_cuda_places ${CMAKE_CURRENT_BINARY_DIR}/cuda ${CMAKE_CURRENT_LIST_DIR}/../build/cuda)
endif()
list(APPEND at_cuda_places /usr)

# Both headers from one place: nvrtc.h is a package of its own with conda.
if(NOT DEFINED AT_CUDA_INCLUDE)
  foreach(place ${at_cuda_places})
    foreach(suffix include ${at_cuda_target}/include)
      if(NOT AT_CUDA_INCLUDE AND EXISTS ${place}/${suffix}/cuda.h AND EXISTS ${place}/${suffix}/nvrtc.h)
        set(AT_CUDA_INCLUDE ${place}/${suffix} CACHE PATH "folder of cuda.h and nvrtc.h")
      endif()
    endforeach()
  endforeach()
endif()
if(NOT AT_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h and nvrtc.h were not found in: ${at_cuda_places}\n"
    "Set CUDA_HOME to a CUDA toolkit, or let tools/setup program build: it fetches the headers.")
endif()

set(AT_NVRTC_FOLDER "")
if(SKBUILD) # pip's folders are gone after the build, and then anybody's
  set(at_cuda_places "")
endif()
foreach(place ${at_cuda_places})
  foreach(suffix lib64 lib ${at_cuda_target}/lib lib/${at_debian_target})
    file(GLOB found ${place}/${suffix}/libnvrtc.so*)
    if(found AND NOT AT_NVRTC_FOLDER)
      set(AT_NVRTC_FOLDER ${place}/${suffix})
    endif()
  endforeach()
endforeach()
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE AND NOT AT_NVRTC_FOLDER)
  message(FATAL_ERROR "libnvrtc.so was not found in: ${at_cuda_places}")
endif()
