# Embeds the parts of the report page in the library: its style, its script and Chart.js.
find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
if(NOT CHART_JS)
  message(FATAL_ERROR "Chart.js is missing: apt-get install libjs-chart.js (or -DCHART_JS=FILE)")
endif()
set(assets_source ${PROJECT_BINARY_DIR}/generated/sotto/report/assets.cc)
set(assets_folder ${PROJECT_SOURCE_DIR}/sotto/report/assets)
add_custom_command(
  OUTPUT ${assets_source}
  COMMAND
    ${CMAKE_COMMAND} -DOUT=${assets_source}
    -DCHART_LIBRARY=${CHART_JS} -DSTYLE=${assets_folder}/page.css -DSCRIPT=${assets_folder}/page.js
    -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${CHART_JS} ${assets_folder}/page.css ${assets_folder}/page.js
          ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(sotto_report PRIVATE ${assets_source})
