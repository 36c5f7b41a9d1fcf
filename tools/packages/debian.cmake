# `cpack -G DEB` in the build folder makes three packages: autotune (the program, its manual page and completions, the Python
# module), libautotune0.1 (the shared library) and libautotune-dev. Whoever makes them is their maintainer, as for Debian's
# own tools: $DEBFULLNAME and $DEBEMAIL.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR autotune)
set(CPACK_PACKAGE_CONTACT "the authors of autotune <autotune@packages.invalid>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(at_maintainer "$ENV{DEBFULLNAME}")
  if(at_maintainer STREQUAL "") # "" <mail> would be no address
    set(at_maintainer "the authors of autotune")
  endif()
  set(CPACK_PACKAGE_CONTACT "${at_maintainer} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(at_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(at_exactly "(= ${PROJECT_VERSION})")
# Versions not older than those it was built with. CPack's own search would need the program `file`.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE at_libc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REPLACE "glibc " "" at_libc "${at_libc}")
string(REGEX MATCH "[0-9.]+" at_zlib "${ZLIB_VERSION} ${ZLIB_VERSION_STRING}") # the second before CMake 3.26
set(at_needs "libc6 (>= ${at_libc}), libsqlite3-0 (>= ${SQLite3_VERSION}), zlib1g (>= 1:${at_zlib})")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
set(at_about "autotune finds the fastest CUDA kernel for your shapes and your GPU. It
generates kernels from templates, or takes yours, compiles every candidate,
validates and times it, and stores the best one per device and shape.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME autotune)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${at_needs}, libautotune${at_soversion} ${at_exactly}, python3")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS nvidia-cuda-toolkit)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "finds the fastest CUDA kernel for your shapes on your device\n${at_about}")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libautotune${at_soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${at_needs}")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "fastest known CUDA kernels, looked up and launched - shared library\n${at_about}")
# Who links against it depends on this package, and the linker's cache knows it once it is installed.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
  "libautotune ${at_soversion} libautotune${at_soversion} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libautotune-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libautotune${at_soversion} ${at_exactly}, libsqlite3-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "fastest known CUDA kernels, looked up and launched - headers\n${at_about}")

# What Debian has in places of its own: its zsh reads no site-functions of packages, its Python dist-packages.
if(NOT CMAKE_CROSSCOMPILING)
  install(FILES ${PROJECT_BINARY_DIR}/tuner/cli/made/zsh/_autotune DESTINATION share/zsh/vendor-completions
    COMPONENT debian EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY tools/python/autotune DESTINATION lib/python3/dist-packages COMPONENT debian EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE)
# Not the component mpi: with its modules the package would depend on every MPI of the machine that makes it.
set(CPACK_COMPONENTS_ALL program debian library development)
include(CPackComponent)
include(CPack)
foreach(component program library development)
  cpack_add_component_group(${component})
  cpack_add_component(${component} GROUP ${component})
endforeach()
cpack_add_component(debian GROUP program)
