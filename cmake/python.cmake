# The Python package: one extension module over the tasks, with the command line inside.
#
# It is `sotto/_core`, for this machine if SOTTO_NATIVE is on. With SOTTO_LEVEL it is
# `sotto/_core_v2` .., one of the modules of a wheel (cmake/python_levels.cmake).
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
             OPTIONAL_COMPONENTS Development.SABIModule)
if(SKBUILD_SABI_VERSION AND NOT TARGET Python::SABIModule)
  # The name of the wheel would promise what the module does not keep.
  message(FATAL_ERROR "The stable ABI of Python ${SKBUILD_SABI_VERSION} was not found")
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
                COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

set(module _core)
if(SOTTO_LEVEL)
  set(module _core_v${SOTTO_LEVEL})
endif()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cc)
nanobind_add_module(sotto_python NB_STATIC STABLE_ABI NOMINSIZE ${sources}
                    $<TARGET_OBJECTS:sotto_commands> $<TARGET_OBJECTS:one_rank>)
sotto_unity(sotto_python 5)
target_compile_definitions(sotto_python PRIVATE SOTTO_MODULE=${module})
target_link_libraries(sotto_python PRIVATE sotto_study sotto_flags OpenMP::OpenMP_CXX)
# Warnings are for our own code, not for these headers.
target_include_directories(sotto_python SYSTEM PRIVATE ${nanobind_ROOT}/../include
                                                       ${Python_INCLUDE_DIRS})
# It only passes on what the library computes.
target_compile_options(sotto_python PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(sotto_python PROPERTIES OUTPUT_NAME ${module} EXCLUDE_FROM_ALL ON
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/sotto)
if(SKBUILD OR SOTTO_LEVEL EQUAL 2)
  # The types of what the module has, for those who check theirs: the same at every level, of which
  # any machine can load the lowest.
  set(stub ${PROJECT_BINARY_DIR}/python/sotto/_core.pyi)
  add_custom_command(
    TARGET sotto_python POST_BUILD
    # Without PYTHONPATH, by which pip tells where nanobind is.
    COMMAND ${CMAKE_COMMAND} -E env SOTTO_LEVEL=${SOTTO_LEVEL} ${Python_EXECUTABLE}
            -m nanobind.stubgen -q -i ${PROJECT_BINARY_DIR}/python -m sotto.${module} -o ${stub})
endif()
if(SKBUILD)
  # For a wheel alone; `make install` has no Python package.
  install(TARGETS sotto_python DESTINATION sotto COMPONENT python)
  install(FILES ${stub} DESTINATION sotto COMPONENT python)
endif()

# The sources beside the module, so that PYTHONPATH=build/release/python has the whole package.
file(GLOB package CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python python/sotto/*.py
     python/sotto/py.typed python/sotto/*.pyi)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/sotto)
foreach(file ${package})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file}
       SYMBOLIC)
endforeach()
