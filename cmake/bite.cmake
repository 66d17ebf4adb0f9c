# SPDX-License-Identifier: BSD-2-Clause
# MLXO_BITE=NAME removes one safeguard: the file that mentions MLXO_BITE_NAME is compiled with it defined. Only that
# file is built again, so that scripts/check-bites can go through all names in one build folder.
set(bitten "")
foreach(source ${LIB_SOURCES})
  file(STRINGS ${source} hit REGEX "MLXO_BITE_${MLXO_BITE}([^A-Z_]|$)" LIMIT_COUNT 1)
  if(hit)
    list(APPEND bitten ${source})
  endif()
endforeach()
list(LENGTH bitten count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "MLXO_BITE=${MLXO_BITE}: one source file must mention it, found ${count}: ${bitten}")
endif()
set_source_files_properties(${bitten} PROPERTIES COMPILE_DEFINITIONS MLXO_BITE_${MLXO_BITE})
