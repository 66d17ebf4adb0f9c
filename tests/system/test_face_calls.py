#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The n-th call to the kernel fails with ENOMEM, EINTR or ENODEV, for every n, while an SA and a policy are made and go.

Either all is well, or the tool says why and its exit status is not 0; and when it has ended, no object lives.
"""
import json
import os
import subprocess
import sys
import tempfile

from face import LIBRARY, SA_BATCH, TOOL, need, need_plain

need(provider=True)
need_plain()
ERRNOS = ("ENOMEM", "EINTR", "ENODEV")
STATUS = (0, 1, 4)  # done, failed, no resources
failed = told = 0


def run(folder, **env):
    """Exit status, lines on standard error, objects that are alive at the end."""
    census, batch = os.path.join(folder, "census"), os.path.join(folder, "batch")
    with open(batch, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write(SA_BATCH.format(dev="mlx5_0"))
    if os.path.exists(census):
        os.unlink(census)
    r = subprocess.run([TOOL, "-d", "mlx5_0", "-b", batch], capture_output=True, text=True, timeout=60,
                       env=dict(os.environ, LD_PRELOAD=LIBRARY, MLXO_MODEL_CENSUS=census, TMPDIR=folder, **env))
    live = [json.loads(line)["live"] for line in open(census)] if os.path.exists(census) else []
    return r.returncode, r.stderr.splitlines(), any(live)


with tempfile.TemporaryDirectory(prefix="mlxo-calls-") as folder:
    calls = sum(line.startswith("uverbs: ") for line in run(folder, MLXO_MODEL_TRACE="calls")[1])
    for errno in ERRNOS:
        for n in range(1, calls + 1):
            status, lines, live = run(folder, MLXO_MODEL_FAIL=f"{n}:{errno}")
            said = any(line.startswith("mlx5-offload-tool: ") for line in lines)
            told += status != 0
            if status not in STATUS or (status and not said) or live:
                failed += 1
                print(f"FAILED {errno} of call {n}: status {status}, objects left {live}, said {lines}")
    left = [name for name in os.listdir(folder) if name.startswith("mlx5-model")]
    if left or calls < 100 or not told:
        failed += 1
        print(f"FAILED: {calls} calls, {told} told, left behind {left}")
for bad in ("0:ENOMEM", "ENOMEM", "3", "3:ENOSUCH", "3:"):
    r = subprocess.run(["ibv_devices"], capture_output=True, text=True, env=dict(os.environ, LD_PRELOAD=LIBRARY, MLXO_MODEL_FAIL=bad))
    if f"MLXO_MODEL_FAIL={bad}: allowed is N:ERRNO" not in r.stderr:
        failed += 1
        print(f"FAILED: {r}")
print(f"{calls} calls x {', '.join(ERRNOS)}: {told} failures told, the others without consequence; nothing left")
sys.exit(1 if failed else 0)
