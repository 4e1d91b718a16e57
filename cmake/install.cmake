# The installed tree: headers, library, program, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS sotto EXPORT sottoTargets)
if(TARGET sotto_cli)
  install(TARGETS sotto_cli)
endif()
install(
  DIRECTORY sotto
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "lanes.h" EXCLUDE
  PATTERN "testing" EXCLUDE
  PATTERN "assets" EXCLUDE
  PATTERN "assets.h" EXCLUDE
  # The door to sensitive data is the library's own.
  PATTERN "access.h" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/sotto/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sotto/base)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
        DESTINATION ${package_dir})

configure_file(cmake/sotto.pc.in ${PROJECT_BINARY_DIR}/sotto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
