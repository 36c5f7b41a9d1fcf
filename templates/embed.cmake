# at_embed(TARGET TABLE FILE...): compiles files into TARGET, as a table of atx_embedded (tuner/lang/catalog.h).
# at_embed_templates(TARGET): so every templates/<op>/*.cu, templates/common/*.cuh and the tuner's own CUDA source.
# CONFIGURE_DEPENDS: adding a template is adding a file, nothing more.
function(at_embed target table)
  set(output ${PROJECT_BINARY_DIR}/${table}.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DTABLE=${table} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/templates/embed_files.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/templates/embed_files.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# at_embed_images(TARGET CODE): these templates as they are read, by a program that is linked from the library CODE, into TARGET.
function(at_embed_images target code)
  set(output ${PROJECT_BINARY_DIR}/embedded_images.c)
  add_executable(embed_images ${PROJECT_SOURCE_DIR}/templates/embed_images.c)
  target_link_libraries(embed_images PRIVATE ${code})
  add_custom_command(OUTPUT ${output} COMMAND embed_images ${output} DEPENDS embed_images VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(at_embed_templates target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*/*.cu)
  at_embed(${target} atx_embedded_files ${files})
  file(GLOB commons CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/common/*.cuh)
  at_embed(${target} atx_embedded_commons ${commons})
  at_embed(${target} atx_embedded_host ${PROJECT_SOURCE_DIR}/templates/host/host.cuh
    ${PROJECT_SOURCE_DIR}/templates/host/torch.cuh)
  at_embed(${target} atx_embedded_verify ${PROJECT_SOURCE_DIR}/tuner/declare/data.h ${PROJECT_SOURCE_DIR}/tuner/declare/placed.h ${PROJECT_SOURCE_DIR}/tuner/runner/verify.cu
    ${PROJECT_SOURCE_DIR}/tuner/runner/fill.cu)
  set(exported head bits numbers main) # in the order of atx_export_part
  list(TRANSFORM exported REPLACE ".+" "${PROJECT_SOURCE_DIR}/tuner/export/export_\\0.cu")
  at_embed(${target} atx_embedded_export ${exported} ${PROJECT_SOURCE_DIR}/tuner/declare/data.h)
  set(packed arithmetic launch test layout layout_test) # in the order of atx_pack_part
  list(TRANSFORM packed REPLACE ".+" "${PROJECT_SOURCE_DIR}/tuner/pack/pack_\\0.inc")
  at_embed(${target} atx_embedded_pack ${packed})
endfunction()
