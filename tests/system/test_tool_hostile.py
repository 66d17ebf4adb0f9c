#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Batches that end in the middle, FIFOs, standard streams that came closed, keys where a name should stand."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import AEAD, ID, KEY, OFFLOAD, TOOL, check, finish, run

os.chdir(tempfile.mkdtemp(prefix="mlxo-hostile-"))
CREATE = f"create-sa {ID} {AEAD} {KEY} 128 {OFFLOAD}\n"
POLICY = "create-policy src 14.0.0.52 dst 14.0.0.70 dir out tmpl src 14.0.0.52 dst 14.0.0.70 reqid 7 offload packet dev"

# A FIFO that nobody writes to: a signal ends it.
os.mkfifo("nobody")
tool = subprocess.Popen([TOOL, "-b", "nobody"])
while True:  # until it sleeps in open(2)
    with open(f"/proc/{tool.pid}/stat") as f:
        state = f.read().rsplit(")", 1)[1].split()[0]
    with open(f"/proc/{tool.pid}/comm") as f:
        if state == "S" and f.read().startswith("mlx5-offload"):
            break
    time.sleep(0.01)
tool.send_signal(signal.SIGTERM)
try:
    tool.wait(timeout=10)
except subprocess.TimeoutExpired:
    check(False, "SIGTERM does not end a batch from a FIFO that nobody writes to")
    tool.kill()
    tool.wait()

# A signal in the middle of a line: the part that is there is not run.
tool = subprocess.Popen([TOOL, "-j", "-b", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
tool.stdin.write(CREATE + "export-sa --wireshark part")
tool.stdin.flush()
tool.stdout.readline()
tool.stdout.readline()
tool.send_signal(signal.SIGINT)
tool.wait(timeout=60)
check(not os.path.exists("part"), "a part of a line was run, and keys were written")

# Standard streams closed: what is printed goes nowhere, least of all into a file that is opened later.
r = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", TOOL, "-v", "-v", "-d", "model:port=pcap:wire.pcap", "-b", "-"],
                   input=CREATE + "show-sa\n", text=True, timeout=60)
with open("wire.pcap", "rb") as f:
    check(b"mlx5-offload-tool" not in f.read(), "messages went into the capture")
check(r.returncode == 1, f"closed output: {r}")

# A key in the place of a name.
for key in (KEY, KEY[2:], KEY[2:34], KEY[:20] + "g" + KEY[21:]):
    for line in (CREATE.replace("dev eth4", f"dev {key}"), f"{POLICY} {key}\n", f"export-sa --wireshark no/{key}\n",
                 f"export-sa --wireshark {key}\n", f"prm decode {key}\n", f"forward {key}\n"):
        for form in ([], ["-j"]):
            out = "".join(run(*form, "-f", "-b", "-", stdin=line + "show-sa\nshow-policy\n")[1:])
            check("4443424134" not in out, f"key in the output of {line!r}: {out}")
finish()
