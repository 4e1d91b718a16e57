# Most of the time a file takes to compile goes into the headers it reads and the templates of Eigen,
# fmt and nlohmann/json it instantiates. Compiled together, the files of a folder pay for these once.
# Batches never join folders, and are small enough that a change in one file rebuilds little and that
# several processors share the work.
#
# sotto_unity(TARGET FILES): batches of at most FILES files for the sources of TARGET. A file in no
# batch, such as a generated one, is compiled alone.
function(sotto_unity target files)
  if(NOT SOTTO_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/")
  list(SORT sources)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND in_${folder} ${source})
    list(APPEND found ${folder})
  endforeach()
  list(REMOVE_DUPLICATES found)
  foreach(folder ${found})
    # As many batches as needed, all of about the same size.
    list(LENGTH in_${folder} count)
    math(EXPR batches "(${count} + ${files} - 1) / ${files}")
    set(place 0)
    foreach(source ${in_${folder}})
      math(EXPR batch "${place} * ${batches} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
      math(EXPR place "${place} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
