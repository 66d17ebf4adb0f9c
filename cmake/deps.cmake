# SPDX-License-Identifier: BSD-2-Clause
# MLXO_DEPS: what the library links, and MLXO_REQUIRES the same for pkg-config. MLXO_WITH_MLX5: is the provider for NICs
# part of the build? Without libibverbs or libmlx5 it is left out, and opening a NIC says so.
set(MLXO_DEPS PkgConfig::CRYPTO PkgConfig::PCAP Threads::Threads)
set(MLXO_REQUIRES "libcrypto libpcap")
set(MLXO_WITH_MLX5 OFF)
if(MLXO_MLX5)
  pkg_check_modules(MLX5 IMPORTED_TARGET libmlx5>=1.24 libibverbs)
  if(MLX5_FOUND)
    set(MLXO_WITH_MLX5 ON)
    list(APPEND MLXO_DEPS PkgConfig::MLX5)
    string(APPEND MLXO_REQUIRES " libmlx5 libibverbs")
    add_compile_definitions(MLXO_MLX5)
  else()
    message(STATUS "libibverbs or libmlx5 (rdma-core 44) not found: no provider for NICs")
  endif()
endif()
