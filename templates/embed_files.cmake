# Script: writes FILES (a list of paths under ROOT) as C arrays and their TABLE into OUTPUT.
set(arrays "")
set(rows "")
set(n 0)
foreach(file ${FILES})
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND arrays "static const unsigned char FILE_${n}[] = {\n${bytes}0x00 };\n")
  string(APPEND rows "    { \"${path}\", FILE_${n}, ${length} },\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by templates/embed_files.cmake from templates/; do not edit. */
#include \"lang/catalog.h\"
${arrays}
const atx_embedded ${TABLE}[] = {
${rows}    { 0, 0, 0 },
};
")
