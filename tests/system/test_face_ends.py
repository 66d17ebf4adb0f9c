# SPDX-License-Identifier: BSD-2-Clause
"""A program ends with 10,000 SAs and 10,000 TLS contexts, by exit(), by close() under commands, by SIGKILL: nothing is left."""
import glob
import json
import os
import subprocess
import tempfile

from face import BUILD, LIBRARY, TOOL, need, need_plain
from tool import check, finish

DRIVER = f"{BUILD}/tests/ends_driver"
MANY = 10000

need(provider=True)
need_plain()
tmp = tempfile.TemporaryDirectory()
env = {**os.environ, "TMPDIR": tmp.name}

for how in ("exit", "close"):
    census = f"{tmp.name}/{how}"
    r = subprocess.run([DRIVER, "mlx5_0", str(MANY), how], capture_output=True, text=True, timeout=100, cwd=tmp.name,
                       env={**env, "LD_PRELOAD": LIBRARY, "MLXO_MODEL": "model", "MLXO_MODEL_CENSUS": census})
    check(r.returncode == 0 and r.stdout == "ready\n", f"{how}: {r}")
    lines = [json.loads(line) for line in open(census)] if os.path.exists(census) else []
    check(len(lines) == 1, f"{how}: one context: {lines}")
    for line in lines:
        print(how, line)
        left = line["left"]
        check(left.get("ipsec", 0) == MANY and left.get("tis", 0) >= MANY, f"{how}: the program left much: {left}")
        check(line["live"] == {}, f"{how}: nothing is on the card: {line['live']}")


def children(pid):
    """Drivers below a process, the zombies that nobody waits for left out."""
    out = subprocess.run(["ps", "-o", "pid=,stat=,comm=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in out.splitlines() if "Z" not in line.split()[1] and "ends_driver" in line]


# killed under the tool: no directory, no process
p = subprocess.Popen([TOOL, "model", "run", "--", DRIVER, "mlx5_0", str(MANY // 10), "hold"], stdout=subprocess.PIPE,
                     text=True, env=env)
check(p.stdout.readline() == "ready\n", "the program under the tool is ready")
driver = children(p.pid)
check(len(driver) == 1 and glob.glob(f"{tmp.name}/mlx5-model.*"), f"one program, a directory: {driver}")
if driver:
    os.kill(driver[0], 9)
check(p.wait(timeout=60) == 128 + 9, f"the tool ends as the program did: {p.returncode}")
check(not glob.glob(f"{tmp.name}/mlx5-model.*"), "no directory is left")
check(not any(os.path.exists(f"/proc/{pid}") for pid in driver), "no process is left")

finish()
