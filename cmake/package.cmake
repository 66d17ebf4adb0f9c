# SPDX-License-Identifier: BSD-2-Clause
# `cpack -G DEB` in the build folder: mlx5-offload (library, tool, man page, completion) and mlx5-offload-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mlx5-offload)
set(CPACK_PACKAGE_CONTACT "mlx5-offload authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME mlx5-offload)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON) # Depends: what the files are linked with
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and the linker's cache is made anew
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "crypto engines of mlx5 NICs from userspace, library and tool
Creates the firmware objects, keys, flow tables and queues that IPsec packet
offload and TLS transmit offload of ConnectX NICs need. Contains a software
ConnectX, which executes the same firmware commands.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME mlx5-offload-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(needs "mlx5-offload (= ${PROJECT_VERSION}), libssl-dev, libpcap-dev") # the static library does
if(MLXO_WITH_MLX5)
  string(APPEND needs ", libibverbs-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${needs}")
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "crypto engines of mlx5 NICs from userspace, for building programs
Headers, static library, and files for pkg-config and CMake.")

foreach(package mlx5-offload mlx5-offload-dev)
  set(part runtime)
  if(package MATCHES dev)
    set(part dev)
  endif()
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
          COMPONENT ${part})
endforeach()
include(CPack)
