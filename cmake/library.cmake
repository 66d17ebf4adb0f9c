# SPDX-License-Identifier: BSD-2-Clause
# libmlx5-offload, shared and static, and what a program needs to build against it.
set(VERSION_MAP ${CMAKE_SOURCE_DIR}/mlx5-offload.map)

add_library(mlx5-offload SHARED $<TARGET_OBJECTS:mlxo_objects>)
target_include_directories(mlx5-offload INTERFACE ${CMAKE_SOURCE_DIR}/include)
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
target_include_directories(mlx5-offload-static INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(mlx5-offload-static INTERFACE ${MLXO_DEPS})
set_target_properties(mlx5-offload-static PROPERTIES OUTPUT_NAME mlx5-offload LINKER_LANGUAGE C)

# Paths from where the file is, so that `cmake --install --prefix` elsewhere needs no edit.
file(RELATIVE_PATH PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" PC_PREFIX ${PC_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/mlx5-offload.pc.in ${CMAKE_BINARY_DIR}/mlx5-offload.pc @ONLY)

install(TARGETS mlx5-offload mlx5-offload-static LIBRARY ARCHIVE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/mlx5_offload TYPE INCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/mlx5-offload.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
