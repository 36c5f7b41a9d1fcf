# at_embed_model(TARGET): compiles db/models/shipped.model into TARGET as atx_shipped_model (model/model.h); none where the
# file is not there. The file is its own generator: as a script it writes OUTPUT from INPUT.
if(CMAKE_SCRIPT_MODE_FILE)
  set(hex "")
  if(EXISTS ${INPUT})
    file(READ ${INPUT} hex HEX)
  endif()
  string(LENGTH "${hex}" digits)
  math(EXPR length "${digits} / 2")
  # A text, and so with a 0 behind: a compiler takes a tenth of the time that it takes for a list of numbers.
  string(REGEX REPLACE "(................................)" "\\1\"\n\"" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  file(WRITE ${OUTPUT} "/* Made by db/embed_model.cmake from db/models; do not edit. */
#include \"model/model.h\"
#if defined(__GNUC__)
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
#endif
const unsigned char atx_shipped_model[] =\n\"${bytes}\";\nconst size_t atx_shipped_model_bytes = ${length};\n")
  return()
endif()

function(at_embed_model target)
  file(GLOB input CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/models/shipped.model)
  set(output ${PROJECT_BINARY_DIR}/embedded_model.c)
  set(script ${PROJECT_SOURCE_DIR}/db/embed_model.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${PROJECT_SOURCE_DIR}/db/models/shipped.model -DOUTPUT=${output} -P ${script}
    DEPENDS ${input} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
