#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Stands in for mlx5-offload-tool in a test (MLXO_TOOL): the same words, but a model is reached through libibverbs and
# libmlx5, as the NIC mlx5_0 with the netdev eth4, whose port is ours as a model's is.
#
#   -d model:OPTIONS WORDS…  ->  mlx5-offload-tool model run OPTIONS,netdev=eth4 -- mlx5-offload-tool -d mlx5_0 -o WORDS…
options='' words=() device=''
while [ $# -gt 0 ]; do
	if [ "$1" = -d ] && [[ ${2-} == model || ${2-} == model:* ]] && [ -z "$device" ]; then
		device=mlx5_0 options=${2#model} options=${options#:}
		words+=(-d mlx5_0)
		shift 2
	else
		[ "$1" != -d ] || device=$2
		words+=("$1")
		shift
	fi
done
[ -n "$device" ] || words=(-d mlx5_0 "${words[@]}")
exec "$MLXO_REAL_TOOL" model run "${options:+$options,}netdev=eth4" -- "$MLXO_REAL_TOOL" -o "${words[@]}"
