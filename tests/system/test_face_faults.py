#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The n-th firmware command fails, for every n: the tool says the same on the model and on mlx5_0 through libmlx5.

    mlx5-offload-tool -d model:fault=…                                     direct
    mlx5-offload-tool model run fault=… -- mlx5-offload-tool -d mlx5_0     libibverbs, libmlx5, the uverbs interface

Both create an SA and a policy. Which command is the n-th differs (libmlx5 asks some of its own), so that failures are
compared by opcode: the n-th of each that both send. The numbers of objects may differ.
"""
import os
import re
import subprocess
import sys
import tempfile

from face import SA_BATCH, TOOL, need, need_plain

OPCODES = ("ALLOC_PD", "CREATE_CQ", "CREATE_SQ", "CREATE_RQ", "CREATE_TIR", "CREATE_FLOW_TABLE", "CREATE_FLOW_GROUP",
           "SET_FLOW_TABLE_ENTRY", "ALLOC_FLOW_COUNTER", "CREATE_GENERAL_OBJECT", "ALLOC_MODIFY_HEADER_CONTEXT",
           "ALLOC_PACKET_REFORMAT_CONTEXT", "MODIFY_RQ", "MODIFY_SQ")
KINDS = {"status=0x3:syndrome=0x65c1fb": "refused", "status=0x8": "no resources", "timeout": "no answer", "fatal": "dead"}
MAX_N = {"refused": 40, "no resources": 2, "no answer": 3, "dead": 2}

need(provider=True)
need_plain()


def first_line(words, dev):
    """Exit status and the sentence that says why, without what may differ."""
    with tempfile.NamedTemporaryFile("w") as batch:
        os.chmod(batch.name, 0o600)
        batch.write(SA_BATCH.format(dev=dev))
        batch.flush()
        r = subprocess.run([*words, "-b", batch.name], capture_output=True, text=True, timeout=60)
        lines = [line.replace(batch.name, "FILE") for line in r.stderr.splitlines() if ": warning: " not in line]
    line = lines[0] if lines else ""
    line = re.sub(r"\b(mlx5_0|model)\b", "DEVICE", line)
    return r.returncode, re.sub(r"\b(0x[0-9a-f]+|\d+)\b(?=( is| \(level|'|$| failed))", "N", line)


def both(fault):
    direct = first_line([TOOL, "-d", f"model:fault={fault}"], "model")
    through = first_line([TOOL, "model", "run", f"fault={fault}", "--", TOOL, "-d", "mlx5_0"], "mlx5_0")
    return direct, through


failed, same = 0, 0
for how, kind in KINDS.items():
    for opcode in OPCODES:
        for n in range(1, MAX_N[kind] + 1):
            direct, through = both(f"{opcode}@{n}:{how}")
            if direct[0] == 0:  # no n-th one; through libmlx5 there is a steering anchor more
                break
            same += direct == through
            if direct != through or not direct[1]:
                failed += 1
                print(f"FAILED {opcode}@{n}:{how}\n  direct  {direct}\n  libmlx5 {through}")
print(f"{same} failures of {len(OPCODES)} commands ({', '.join(KINDS.values())}) told alike, directly and through libmlx5")

sys.exit(1 if failed or same < 40 else 0)
