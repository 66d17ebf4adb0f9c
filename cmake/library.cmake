# SPDX-License-Identifier: BSD-2-Clause
# libmlx5-offload, shared and static, and what a program needs to build against it.
set(VERSION_MAP ${CMAKE_SOURCE_DIR}/mlx5-offload.map)

add_library(mlx5-offload SHARED $<TARGET_OBJECTS:mlxo_objects>)
set(HEADERS $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(mlx5-offload INTERFACE ${HEADERS})
target_link_libraries(mlx5-offload PRIVATE ${MLXO_DEPS})
target_link_options(mlx5-offload PRIVATE -Wl,--version-script=${VERSION_MAP})
set_target_properties(mlx5-offload PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
                      LINK_DEPENDS ${VERSION_MAP})

# One object inside: what is not MLXO_API is local, as in the shared library, and cannot meet a name of the program.
set(one ${CMAKE_BINARY_DIR}/mlx5-offload-static.o)
add_custom_command(OUTPUT ${one} VERBATIM COMMAND_EXPAND_LISTS
                   COMMAND ${CMAKE_LINKER} -r -o ${one} $<TARGET_OBJECTS:mlxo_objects>
                   COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${one}
                   DEPENDS $<TARGET_OBJECTS:mlxo_objects>)
add_library(mlx5-offload-static STATIC ${one})
target_include_directories(mlx5-offload-static INTERFACE ${HEADERS})
target_link_libraries(mlx5-offload-static INTERFACE $<BUILD_INTERFACE:${MLXO_DEPS}>
                      $<INSTALL_INTERFACE:PkgConfig::MLXO_REQUIRES> $<INSTALL_INTERFACE:Threads::Threads>)
set_target_properties(mlx5-offload-static PROPERTIES OUTPUT_NAME mlx5-offload LINKER_LANGUAGE C)

# Paths from where the file is, so that `cmake --install --prefix` elsewhere needs no edit.
file(RELATIVE_PATH PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" PC_PREFIX ${PC_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/mlx5-offload.pc.in ${CMAKE_BINARY_DIR}/mlx5-offload.pc @ONLY)

# Two parts, which are two packages: what runs, and what a program is built with.
set(CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mlx5-offload)
install(TARGETS mlx5-offload EXPORT shared LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS mlx5-offload-static EXPORT static ARCHIVE COMPONENT dev)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/mlx5_offload TYPE INCLUDE COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/mlx5-offload.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# find_package(mlx5-offload): the static library's targets are a file of their own, since they need more.
include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/mlx5-offloadConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/mlx5-offloadConfig.cmake INSTALL_DESTINATION ${CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mlx5-offloadConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
foreach(kind shared static)
  install(EXPORT ${kind} NAMESPACE mlx5-offload:: FILE mlx5-offload-${kind}.cmake DESTINATION ${CMAKE_DIR}
          COMPONENT dev)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/mlx5-offloadConfig.cmake ${CMAKE_BINARY_DIR}/mlx5-offloadConfigVersion.cmake
        DESTINATION ${CMAKE_DIR} COMPONENT dev)
