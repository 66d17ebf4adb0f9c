#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The symbol map says what the headers say: each MLXO_API function is in the map, each name in the map is declared,
# each links against the shared library, and the library exports nothing else.
set -euo pipefail
: "${MLXO_SRC:?}" "${MLXO_BUILD:?}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
lib=$MLXO_BUILD/libmlx5-offload.so

declared() { # functions that the public headers mark, comments left out
	grep -hv '^#' "$MLXO_SRC"/include/mlx5_offload/*.h | tr '\n\t' '  ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/| |g' |
		grep -o 'MLXO_API[^;(]*(' | sed 's/.*\b\(mlxo_[a-z0-9_]*\) *($/\1/' | sort
}
declared >"$tmp/declared"
sed -n 's/^[[:space:]]*\(mlxo_[a-z0-9_]*\);$/\1/p' "$MLXO_SRC/mlx5-offload.map" | sort >"$tmp/mapped"
nm -D --defined-only "$lib" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/exported"

if ! diff "$tmp/declared" "$tmp/mapped" || ! diff "$tmp/mapped" "$tmp/exported"; then
	echo "above: headers (<) against mlx5-offload.map (>), or map (<) against the library's exports (>)" >&2
	exit 1
fi
[ "$(wc -l <"$tmp/declared")" -gt 30 ] || { echo "fewer functions than there must be" >&2; exit 1; }

{
	echo '#include <stdio.h>'
	echo '#include <mlx5_offload/mlx5_offload.h>'
	for header in "$MLXO_SRC"/include/mlx5_offload/*.h; do echo "#include <mlx5_offload/$(basename "$header")>"; done
	echo 'typedef void (*fn)(void);'
	echo 'static const fn all[] = {'
	sed 's/.*/\t(fn)&,/' "$tmp/mapped"
	echo '};'
	echo 'int main(void) { for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) if (!all[i]) return 1; return 0; }'
} >"$tmp/all.c"
if [ "$(nm -D "$lib" | grep -c '__\(asan\|tsan\)')" != 0 ]; then
	echo "sanitizer build: linking is checked in the plain one"
else
	cc -std=c11 -I"$MLXO_SRC/include" -o "$tmp/all" "$tmp/all.c" -L"$MLXO_BUILD" -lmlx5-offload
	LD_LIBRARY_PATH=$MLXO_BUILD "$tmp/all"
fi
readelf -d "$lib" | grep -q 'SONAME.*\[libmlx5-offload\.so\.0\]'
echo "$(wc -l <"$tmp/mapped") functions: headers, map and library agree"
