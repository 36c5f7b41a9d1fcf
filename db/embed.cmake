# at_embed_schema(TARGET): compiles db/schema.sql into TARGET as atx_schema_sql (db/store_internal.h).
# The file is its own generator: as a script it writes OUTPUT from INPUT.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(WRITE ${OUTPUT} "/* Made by db/embed.cmake from db/schema.sql; do not edit. */
#include \"db/store_internal.h\"
const char atx_schema_sql[] = {\n${bytes}0x00 };\n")
  return()
endif()

function(at_embed_schema target)
  set(input ${PROJECT_SOURCE_DIR}/db/schema.sql)
  set(output ${PROJECT_BINARY_DIR}/embedded_schema.c)
  set(script ${PROJECT_SOURCE_DIR}/db/embed.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -P ${script}
    DEPENDS ${input} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# at_embed_winners(TARGET CODE): lays all dumps of db/winners out as a database, in a program that is linked from the
# library CODE, and compiles it into TARGET as atx_shipped_image (db/store_internal.h).
function(at_embed_winners target code)
  file(GLOB dumps CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/winners/*.jsonl.gz)
  set(output ${PROJECT_BINARY_DIR}/embedded_winners.c)
  add_executable(embed_winners ${PROJECT_SOURCE_DIR}/db/embed_winners.c)
  target_link_libraries(embed_winners PRIVATE ${code})
  add_custom_command(OUTPUT ${output} COMMAND embed_winners ${output} ${dumps} DEPENDS embed_winners ${dumps} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
