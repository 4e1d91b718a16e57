# cmake -DOUT=FILE -DCHART_LIBRARY=FILE -DSTYLE=FILE -DSCRIPT=FILE -P embed.cmake
# Writes a source file that defines the strings of sotto/report/assets.h from these files, so that
# the installed library needs none of them.
set(source "#include \"sotto/report/assets.h\"\n\nnamespace sotto::asset {\n\n")
foreach(name CHART_LIBRARY STYLE SCRIPT)
  file(READ "${${name}}" text)
  # Text that would end the element around it, or request another file.
  if(text MATCHES "</(script|style)" OR text MATCHES "<!--" OR text MATCHES "sourceMappingURL")
    message(FATAL_ERROR "${${name}} cannot stand inside a page")
  endif()
  string(TOLOWER ${name} name)
  string(APPEND source "const std::string_view ${name} = R\"asset(${text})asset\";\n\n")
endforeach()
string(APPEND source "}  // namespace sotto::asset\n")
file(WRITE "${OUT}" "${source}")
