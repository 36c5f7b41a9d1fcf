# at_embed_templates(TARGET): compiles every templates/<op>/*.cu into TARGET, as the table at__embedded_files
# (tuner/catalog.h). CONFIGURE_DEPENDS: adding a template is adding a file, nothing more.
function(at_embed_templates target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/templates/*/*.cu)
  set(output ${CMAKE_BINARY_DIR}/embedded_templates.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/templates/embed_files.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/templates/embed_files.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
