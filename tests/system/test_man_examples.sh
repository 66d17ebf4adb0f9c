#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Every example of the man page works: each block of EXAMPLES is run as it stands, in order, in one empty folder and
# a network namespace of its own.
set -u
if [ -z "${MLXO_IN_NETNS:-}" ]; then
	probe() { unshare "$@" -n ip link add mlxo0 type veth peer name mlxo1 2>/dev/null; }
	for how in "" "-r"; do
		# shellcheck disable=SC2086 # no word when empty
		if probe $how; then
			MLXO_IN_NETNS=1 exec unshare $how -n /bin/bash "$0"
		fi
	done
	echo "SKIP: no right to make a network namespace with a veth pair"
	exit 77
fi
ip link set lo up
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
page=$MLXO_SRC/docs/man/mlx5-offload-tool.8.scd
mkdir "$dir/bin" "$dir/work"
ln -s "$MLXO_TOOL" "$dir/bin/mlx5-offload-tool"
export PATH=$dir/bin:$PATH

# Blocks between ``` lines, numbered; scdoc's \\ is a backslash.
awk -v dir="$dir" '
	/^# EXAMPLES/ { on = 1 } /^# SEE ALSO/ { on = 0 }
	on && /^```/ { block = !block; if (block) file = sprintf("%s/block%02d", dir, ++n); next }
	on && block { gsub(/\\\\/, "\\"); print > file }' "$page"

cd "$dir/work" || exit 1
blocks=0
for block in "$dir"/block*; do
	blocks=$((blocks + 1))
	if ! timeout 60 bash -e "$block" >"$dir/out" 2>"$dir/err"; then
		echo "FAIL: example $blocks:"
		cat "$block" "$dir/out" "$dir/err"
		exit 1
	fi
	if grep -v 'warning: ' "$dir/err" | grep .; then
		echo "FAIL: example $blocks complains:"
		cat "$block" "$dir/err"
		exit 1
	fi
	case $(cat "$block") in
	*"jq '.[].error"*)
		printf '"SET_FLOW_TABLE_ENTRY"\n"BAD_PARAM_ERR"\n"0x65c1fb"\n' | diff - "$dir/out" || exit 1 ;;
	*"jq '.[] | select"*)
		tail -n 2 "$dir/out" | diff <(printf '"0x00001007"\n"0x00001008"\n') - || exit 1 ;;
	*caps*) tail -n 1 "$dir/out" | grep -qx true || exit 1 ;;
	esac
done
[ $blocks -ge 7 ] || { echo "FAIL: only $blocks examples found"; exit 1; }
echo "$blocks examples run"
