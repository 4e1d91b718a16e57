# A wheel that runs on any x86-64 has one extension module for each level in SOTTO_PYTHON_LEVELS,
# and the package loads the best that the processor has. This project then compiles nothing itself:
# each module comes from a build of its own, in v2/, v3/ and v4/.
include(ExternalProject)

add_custom_target(sotto_python)
foreach(level ${SOTTO_PYTHON_LEVELS})
  # What scikit-build-core tells about Python must reach the builds that compile against it.
  set(arguments -DCMAKE_BUILD_TYPE=Release -DSOTTO_NATIVE=OFF -DSOTTO_LEVEL=${level}
                -DSOTTO_PYTHON=ON -DSOTTO_TESTS=OFF -DSOTTO_BENCH=OFF)
  foreach(name CMAKE_MAKE_PROGRAM CMAKE_CXX_COMPILER Python_EXECUTABLE Python_INCLUDE_DIR
               SKBUILD_SOABI SKBUILD_SOSABI SKBUILD_SABI_VERSION)
    if(DEFINED ${name})
      list(APPEND arguments -D${name}=${${name}})
    endif()
  endforeach()
  # One after another on the terminal: each of them uses all processors it may.
  ExternalProject_Add(
    level_${level}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${PROJECT_BINARY_DIR}/v${level}
    CMAKE_ARGS ${arguments}
    BUILD_COMMAND ${CMAKE_COMMAND} --build . --target sotto_python
    BUILD_ALWAYS ON
    INSTALL_COMMAND ""
    USES_TERMINAL_BUILD ON)
  add_dependencies(sotto_python level_${level})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/v${level}/python/sotto/ DESTINATION sotto
          COMPONENT python USE_SOURCE_PERMISSIONS FILES_MATCHING PATTERN "_core_v${level}.*so")
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/v2/python/sotto/_core.pyi DESTINATION sotto COMPONENT python)

# The terms of what the wheel will carry: libraries beside the modules, and those that are compiled
# into them. Debian keeps them with its packages.
foreach(package libfmt9 libgomp1 libsodium23 libsqlite3-0
                libboost-math-dev libcli11-dev libeigen3-dev libfast-float-dev libjs-chart.js
                nlohmann-json3-dev)
  set(terms /usr/share/doc/${package}/copyright)
  if(SKBUILD_METADATA_DIR AND EXISTS ${terms})
    file(REAL_PATH ${terms} terms)  # the link would be installed, not what it points to
    install(FILES ${terms} DESTINATION ${SKBUILD_METADATA_DIR}/licenses/${package}
            COMPONENT python)
  endif()
endforeach()
if(SKBUILD_METADATA_DIR)
  # nanobind, and the hash table inside it, whose terms stand at the head of its files.
  set(where "import importlib.metadata as m; print(*(f.locate() for name in \
('licenses/LICENSE', 'tsl/robin_hash.h') for f in m.files('nanobind') if str(f).endswith(name)), \
sep=';')")
  execute_process(COMMAND ${Python_EXECUTABLE} -c "${where}" OUTPUT_STRIP_TRAILING_WHITESPACE
                  OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
  list(GET found 0 terms)
  install(FILES ${terms} DESTINATION ${SKBUILD_METADATA_DIR}/licenses/nanobind COMPONENT python)
  list(GET found 1 header)
  file(READ ${header} terms)
  string(FIND "${terms}" "*/" length)
  string(SUBSTRING "${terms}" 0 ${length} terms)
  file(WRITE ${PROJECT_BINARY_DIR}/robin_map/LICENSE "${terms}*/\n")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/robin_map DESTINATION ${SKBUILD_METADATA_DIR}/licenses
          COMPONENT python)
endif()
