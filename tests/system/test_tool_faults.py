#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a refused command looks like, and which exit status it has: one line with opcode, status and syndrome."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import AEAD, ID, KEY, OFFLOAD, batch, check, finish, run

CREATE = f"create-sa {ID} {AEAD} {KEY} 128 {OFFLOAD}\n"

for op, status, name, syndrome, exit_status in (
    ("SET_FLOW_TABLE_ENTRY", 0x3, "BAD_PARAM_ERR", 0x65C1FB, 1),
    ("CREATE_FLOW_GROUP", 0x3, "BAD_PARAM_ERR", 0x65C1FB, 1),
    ("CREATE_GENERAL_OBJECT", 0x8, "LIM_ERR", 0x19C6D6, 4),
    ("ALLOC_FLOW_COUNTER", 0xF, "NO_RES_ERR", 0x19C6D6, 4),
):
    device = f"model:fault={op}:status={status:#x}:syndrome={syndrome:#x}"
    rc, out, err = run("-d", device, "-b", "-", stdin=CREATE)
    last = err.splitlines()[-1]
    check(rc == exit_status, f"{op} {status:#x}: exit {rc}, {err}")
    check(op in last and name in last and f"{syndrome:#x}" in last, f"{op} {status:#x}: {err}")
    rc, lines = batch(CREATE, "-d", device)
    error = lines[0]["error"]
    check(rc == exit_status, f"{op} {status:#x}: exit {rc}")
    check((error["op"], error["status"], int(error["syndrome"], 16)) == (op, name, syndrome), f"{op}: {error}")
    # The cause was reported, the next attempt works, and nothing of the first is left.
    rc, lines = batch("stats\n" + CREATE + CREATE + "flush-sa\nstats\n", "-f", "-d", device)
    check(rc == 3 and "error" in lines[1] and "output" in lines[2], f"{op}: the next attempt {lines[1:3]}")
    check(lines[4]["output"][0]["quarantined"] == [], f"{op}: quarantine {lines[4]['output'][0]['quarantined']}")

# While everything is taken down: reported, too.
for form in ([], ["-j"]):
    rc, out, err = run(*form, "-d", "model:fault=DEALLOC_PD:status=0x9:syndrome=0xef0c8a", "-b", "-", stdin=CREATE)
    line = [text for text in err.splitlines() if "DEALLOC_PD" in text and "0xef0c8a" in text]
    check(rc == 1 and len(line) == 1 and "BAD_RES_STATE_ERR" in line[0], f"DEALLOC_PD: {rc} {err[-600:]}")

# A dead device: the cause, and one line for all that cannot be removed. With -v each of them.
fatal = ("-d", "model:fault=CREATE_GENERAL_OBJECT:fatal", "-b", "-")
rc, out, err = run(*fatal, stdin=CREATE)
lines = err.splitlines()
check(rc == 1 and len(lines) == 2 and "CREATE_GENERAL_OBJECT" in lines[0] and "dead" in lines[0], f"fatal: {rc} {err}")
counted = re.search(r"warning: (\d+) objects could not be removed from a dead device", lines[-1])
rc, out, err = run("-v", *fatal, stdin=CREATE)
each = [text for text in err.splitlines() if "while cleaning up" in text or "stay with device" in text]
check(counted and int(counted[1]) == len(each) > 10, f"fatal: {lines[-1]}, {len(each)} lines with -v")
rc, out, err = run("-j", *fatal, stdin=CREATE)
check(rc == 1 and "dead" in json.loads(out)[0]["error"]["error"] and err.count("\n") == 1, f"fatal -j: {out} {err}")

# No answer: the object is in quarantine, by kind and command.
rc, out, err = run("-j", "-f", "-d", "model:fault=CREATE_GENERAL_OBJECT:lost", "-b", "-", stdin=CREATE + "stats\n")
lines = json.loads(out)
check(rc == 3 and lines[0]["error"]["op"] == "CREATE_GENERAL_OBJECT", f"lost: {lines[0]}")
quarantined = lines[1]["output"][0]["quarantined"]
check(any(q["op"] == "CREATE_GENERAL_OBJECT" for q in quarantined), f"lost: {quarantined}")

# Full: an SA more than the device has room for.
many = "".join(
    f"create-sa src 14.0.0.52 dst 14.0.0.70 proto esp spi {1000 + i} mode transport reqid 7 {AEAD} {KEY} 128 {OFFLOAD}\n"
    for i in range(34))
rc, lines = batch(many, "-d", "model:profile=sa33")
check(rc == 4, f"full: exit {rc} after {len(lines)} lines: {lines[-1]}")
finish()
