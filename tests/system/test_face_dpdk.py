#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's dpdk-testpmd with its mlx5 driver, unchanged, on the model: frames go round a looped wire and none is lost."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

tool, build = os.environ["MLXO_TOOL"], os.environ["MLXO_BUILD"]
library = os.path.join(build, "libmlx5-model-uverbs.so")
FRAMES, PATIENCE_S = 2000, 60
# A netdev of its own, since the driver asks one for MTU and address. Compressed CQEs are not in the model.
SCRIPT = """mount -t sysfs sysfs /sys && ip link add dpdk0 type veth peer name dpdk1 && ip link set dpdk1 up && ip link set dpdk0 up || exit 99
exec "$0" model run --netdev dpdk0 port=loop -- stdbuf -oL dpdk-testpmd --no-huge -m 128 --no-shconf --iova-mode=va \
    --lcores 0@0,1@0 -a 0000:80:00.0,rxq_cqe_comp_en=0 -- --no-mlockall -i --total-num-mbufs=2048 --forward-mode=io"""


def missing():
    for program in ("dpdk-testpmd", "unshare", "ip", "stdbuf"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if not os.path.exists(library):
        return "no libmlx5-model-uverbs.so in this build"
    if subprocess.run(["unshare", "-rnm", "mount", "-t", "sysfs", "sysfs", "/sys"], capture_output=True).returncode:
        return "no network namespace may be made here"
    return None


def counter(name, text):
    found = re.findall(rf"{name}: *(\d+)", text)
    return int(found[-1]) if found else 0


class Testpmd:
    def __init__(self, census):
        env = dict(os.environ, MLXO_MODEL_CENSUS=census)
        self.end = time.monotonic() + PATIENCE_S
        self.text = ""
        self.p = subprocess.Popen(["unshare", "-rnm", "sh", "-c", SCRIPT, tool], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, bufsize=1)

    def until(self, pattern):
        """Lines up to the one that matches; False: the program or the time ended."""
        for line in self.p.stdout:
            self.text += line
            if re.search(pattern, line):
                return True
            if time.monotonic() > self.end:
                break
        return False

    def say(self, words):
        self.p.stdin.write(words + "\n")


def main():
    why = missing()
    if why:
        print(why)
        return 77
    if re.search(r"__(asan|tsan)_", subprocess.run(["nm", "-D", library], capture_output=True, text=True).stdout):
        print("sanitizer build: dpdk-testpmd runs on the plain one")
        return 0
    with tempfile.TemporaryDirectory(prefix="mlxo-dpdk-") as folder:
        census = os.path.join(folder, "census")
        t = Testpmd(census)
        t.say("start tx_first")
        going = t.until(r"nb forwarding ports=1")
        while going and counter("RX-packets", t.text) < FRAMES:
            t.say("show port stats 0")
            going = t.until(r"TX-packets")
        t.say("stop\nquit")
        going = going and t.until(r"Accumulated") and t.until("Bye")
        t.p.stdin.close()
        t.p.wait(timeout=PATIENCE_S)
        end = t.text[t.text.rfind("Accumulated"):]
        lost = counter("RX-dropped", end) + counter("TX-dropped", end)
        lines = [json.loads(line) for line in open(census)] if os.path.exists(census) else []
        clean = lines and all(not line["left"] and not line["live"] for line in lines)
        if not going or t.p.returncode or lost or not clean:
            print(t.text[-4000:])
            print(f"exit status {t.p.returncode}, lost {lost}, census {lines}")
            return 1
        print(f"dpdk-testpmd forwarded {counter('RX-packets', end)} frames on the model, none lost, nothing left")
        return 0


sys.exit(main())
