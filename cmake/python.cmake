# The Python package: one extension module over the tasks, with the command line inside.
#
# An ordinary build makes `sotto/_core`, for this machine if SOTTO_NATIVE is on. A wheel runs
# anywhere: SOTTO_PYTHON_LEVELS "2;3;4" makes one module for each level of x86-64 (`_core_v2` ..),
# each in a build of its own, and the package loads the best that the processor has.
set(SOTTO_PYTHON_LEVELS "" CACHE STRING "Levels of x86-64 for which a wheel has a module")

if(SOTTO_PYTHON_LEVELS)
  include(ExternalProject)
  foreach(level ${SOTTO_PYTHON_LEVELS})
    ExternalProject_Add(
      level_${level}
      SOURCE_DIR ${PROJECT_SOURCE_DIR}
      BINARY_DIR ${PROJECT_BINARY_DIR}/v${level}
      CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DSOTTO_NATIVE=OFF -DSOTTO_LEVEL=${level}
                 -DSOTTO_TESTS=OFF -DSOTTO_BENCH=OFF -DSOTTO_PYTHON=ON
                 -DPython_EXECUTABLE=${Python_EXECUTABLE}
      BUILD_COMMAND ${CMAKE_COMMAND} --build . --target sotto_python
      INSTALL_COMMAND ""
      USES_TERMINAL_BUILD ON)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/v${level}/python/sotto/ DESTINATION sotto
            FILES_MATCHING PATTERN "*.so")
  endforeach()
  return()
endif()

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
                COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

set(module _core)
if(SOTTO_LEVEL)
  set(module _core_v${SOTTO_LEVEL})
endif()
file(GLOB sources CONFIGURE_DEPENDS python/bindings/*.cc)
nanobind_add_module(sotto_python NB_STATIC STABLE_ABI NOMINSIZE ${sources}
                    $<TARGET_OBJECTS:sotto_commands>)
target_compile_definitions(sotto_python PRIVATE SOTTO_MODULE=${module})
target_link_libraries(sotto_python PRIVATE sotto_study sotto_flags OpenMP::OpenMP_CXX)
# Warnings are for our own code, not for these headers.
target_include_directories(sotto_python SYSTEM PRIVATE ${nanobind_ROOT}/../include
                                                       ${Python_INCLUDE_DIRS})
# It only passes on what the library computes.
target_compile_options(sotto_python PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(sotto_python PROPERTIES OUTPUT_NAME ${module} EXCLUDE_FROM_ALL ON
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/sotto)

# The sources beside the module, so that PYTHONPATH=build/release/python has the whole package.
file(GLOB package CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python python/sotto/*.py
     python/sotto/py.typed python/sotto/*.pyi)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/sotto)
foreach(file ${package})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file}
       SYMBOLIC)
endforeach()
