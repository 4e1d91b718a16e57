# Three libraries: sotto (the core), sotto_report (the result as JSON and as a page) and sotto_study
# (the papers' experiments, for the command line alone). A program that links sotto carries neither
# HTML nor experiments.
#
# The sources of a library are compiled once, to objects that a shared library may contain too. Only
# what the public headers declare is visible outside of a shared library (SOTTO_API in
# base/export.h); the command line and the tests link the static libraries and see everything.

# What users of a library's headers need, and what the library itself links.
function(sotto_interface name)
  target_include_directories(
    ${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                   $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated> $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  # Matrices cross the library's border, so both sides must agree on how Eigen aligns them, whatever
  # instruction set each side was built for.
  target_compile_definitions(${name} PUBLIC EIGEN_MAX_ALIGN_BYTES=64)
  target_link_libraries(
    ${name}
    PUBLIC Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json
    PRIVATE $<BUILD_INTERFACE:sotto_flags> ZLIB::ZLIB SQLite::SQLite3 OpenMP::OpenMP_CXX
            Threads::Threads PkgConfig::sodium)
endfunction()

# The folders in which the time of a run goes: with -O2 the power method took 1.4 times as long, a
# stream twice. And those that only pass on what others compute, which compile a quarter faster with
# -O1.
set(SOTTO_HOT_FOLDERS linalg tensor moments decompose complete)
set(SOTTO_LIGHT_FOLDERS tasks ledger verify audit)

function(sotto_compile_flags name)
  # The library shares out its own panels; Eigen's threads would make sums depend on their number.
  target_compile_definitions(${name} PRIVATE EIGEN_DONT_PARALLELIZE)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Takes the sources in these folders out of the list `sources`, as the objects NAME with an
# optimisation of their own.
macro(sotto_take_objects name level)
  set(folders ${ARGN})  # in a macro ARGN itself is no variable
  list(JOIN folders "|" folders)
  set(taken ${sources})
  list(FILTER taken INCLUDE REGEX "/sotto/(${folders})/")
  list(FILTER sources EXCLUDE REGEX "/sotto/(${folders})/")
  if(taken)
    add_library(${name} OBJECT ${taken})
    sotto_unity(${name} 40)
    sotto_interface(${name})
    sotto_compile_flags(${name})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
    list(APPEND objects $<TARGET_OBJECTS:${name}>)
  endif()
endmacro()

# sotto_library(NAME FOLDERS..): the static library NAME, of all sources in these folders that are
# not tests. Those of hot and light folders are the objects NAME_hot and NAME_light.
function(sotto_library name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns APPEND /*.cc)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(objects)
  sotto_take_objects(${name}_hot -O3 ${SOTTO_HOT_FOLDERS})
  sotto_take_objects(${name}_light -O1 ${SOTTO_LIGHT_FOLDERS})
  add_library(${name} STATIC ${sources} ${objects})
  sotto_unity(${name} 40)
  sotto_interface(${name})
  sotto_compile_flags(${name})
endfunction()

# sotto_shared_library(NAME): NAME_shared, of the objects of the static library NAME.
function(sotto_shared_library name)
  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}>)
  foreach(kind hot light)
    if(TARGET ${name}_${kind})
      target_sources(${name}_shared PRIVATE $<TARGET_OBJECTS:${name}_${kind}>)
    endif()
  endforeach()
  sotto_interface(${name}_shared)
  # Every 0.x may change interfaces, so a program needs the one it was linked with.
  set_target_properties(
    ${name}_shared PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                              SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_options(${name}_shared PRIVATE -Wl,--no-undefined)
endfunction()
