#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Batches that end in the middle, FIFOs, standard streams that came closed, keys where a name should stand."""
import json
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

# Input without an end is no batch.
for name, words in (("/dev/zero", "true"), ("-", "yes '\\'"), ("-", "yes '#' | tr -d '\\n'"), ("-", "yes ' ' | tr -d '\\n'")):
    feed = subprocess.Popen(["sh", "-c", words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    r = subprocess.run([TOOL, "-f", "-b", name], stdin=feed.stdout, capture_output=True, text=True, timeout=60)
    feed.stdout.close()
    feed.wait(timeout=60)
    check(r.returncode == 3 and r.stderr.count("\n") == 1 and f"{name}:1: the line does not end" in r.stderr, f"{words}: {r}")

# A descriptor that stays silent, or says half a key, can be interrupted inside of a batch; a whole key is taken.
for text, sig in ((b"", signal.SIGINT), (KEY[:20].encode(), signal.SIGTERM), (KEY.encode(), None)):
    read, write = os.pipe()
    tool = subprocess.Popen([TOOL, "-j", "-b", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            pass_fds=[read])
    tool.stdin.write("show-sa\n" + CREATE.replace(KEY, f"fd {read}") + "show-sa\n")
    tool.stdin.close()
    check(tool.stdout.readline() == "[\n" and '"line":1' in tool.stdout.readline(), "the batch begins")
    os.write(write, text)
    if sig:
        tool.send_signal(sig)
    else:
        os.close(write)
    try:
        tool.wait(timeout=30)
        rest = json.loads("[" + tool.stdout.read().lstrip(","))
        if sig:
            check(tool.returncode == 1 and len(rest) == 1 and rest[0]["error"]["errno"] == 4, f"silent: {rest}")
        else:
            check(tool.returncode == 0 and len(rest) == 2 and len(rest[1]["output"]) == 1, f"a whole key: {rest}")
    except subprocess.TimeoutExpired:
        check(False, f"{sig} does not end a batch that waits for a key")
        tool.kill()
        tool.wait()
    os.close(read)
    if sig:
        os.close(write)
# Refused as the library would.
for text, why in (("x" * 300, "longer than"), ("0x12zz", "hex"), ("", "key")):
    with open("key", "w+") as f:
        f.write(text)
        f.flush()
        f.seek(0)
        r = subprocess.run([TOOL, "-b", "-"], input=CREATE.replace(KEY, f"fd {f.fileno()}"), pass_fds=[f.fileno()],
                           capture_output=True, text=True, timeout=60)
        check(r.returncode == 1 and why in r.stderr and r.stderr.count("\n") == 1, f"key {text[:8]!r}: {r}")

# Standard streams closed: what is printed goes nowhere, least of all into a file that is opened later.
r = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", TOOL, "-v", "-v", "-d", "model:port=pcap:wire.pcap", "-b", "-"],
                   input=CREATE + "show-sa\n", text=True, timeout=60)
with open("wire.pcap", "rb") as f:
    check(b"mlx5-offload-tool" not in f.read(), "messages went into the capture")
check(r.returncode == 1, f"closed output: {r}")

# A key in the place of a name.
for key in (KEY, KEY[2:], KEY[2:34], KEY[:20] + "g" + KEY[21:]):
    for line in (CREATE.replace("dev eth4", f"dev {key}"), f"{POLICY} {key}\n", f"export-sa --wireshark no/{key}\n",
                 f"export-sa --wireshark {key}\n", f"prm decode {key}\n", f"send {key}\n", f"forward {key}\n"):
        for form in ([], ["-j"]):
            out = "".join(run(*form, "-f", "-b", "-", stdin=line + "show-sa\nshow-policy\n")[1:])
            check("4443424134" not in out, f"key in the output of {line!r}: {out}")
finish()
