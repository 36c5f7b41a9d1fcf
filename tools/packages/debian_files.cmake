# What Debian wants in every package: CPack runs this on what it has installed, a folder for each package.
set(root "${CMAKE_CURRENT_LIST_DIR}/../..")
file(STRINGS "${root}/CHANGELOG.md" released REGEX "^## [0-9.]+ \\(" LIMIT_COUNT 1)
string(REGEX REPLACE ".*\\((.*)\\)" "\\1" released "${released}")
execute_process(COMMAND date -R -u -d "${released}" OUTPUT_VARIABLE released OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB folders "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(folder IN LISTS folders)
  get_filename_component(component "${folder}" NAME)
  string(TOUPPER "${component}" component)
  set(package "${CPACK_DEBIAN_${component}_PACKAGE_NAME}")
  set(documents "${folder}/usr/share/doc/${package}")
  file(MAKE_DIRECTORY "${documents}")
  file(COPY_FILE "${CPACK_RESOURCE_FILE_LICENSE}" "${documents}/copyright")
  file(WRITE "${documents}/changelog" "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What is new: CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${released}
")
  file(GLOB compressed "${folder}/usr/share/man/*/*" "${documents}/changelog")
  execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
