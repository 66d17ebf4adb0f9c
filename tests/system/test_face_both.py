#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""model run --show: a machine that has RDMA devices, played by directories over /sys/class and /dev/infiniband.

`only` hides mlx5_0 of the host, `both` lists it and the model as mlx5_1; who opens the host's reaches the host's node.
"""
import os
import re
import subprocess
import sys
import tempfile

from face import LIBRARY, TOOL, UNSHARE, need, need_namespaces, need_plain

FILES = {
    "class/infiniband_verbs/abi_version": "6",
    "class/infiniband_verbs/uverbs0/ibdev": "mlx5_0",
    "class/infiniband_verbs/uverbs0/dev": "1:7",
    "class/infiniband_verbs/uverbs0/abi_version": "1",
    "class/infiniband/mlx5_0/device/modalias": "pci:v000015B3d0000101Dsv000015B3sd00000016bc02sc00i00",
    "class/infiniband/mlx5_0/node_type": "1: CA",
    "class/infiniband/mlx5_0/node_guid": "0001:0203:0405:0607",
}
# /dev/infiniband: /dev/full is no RDMA device, so that opening it fails by the kernel's word
SETUP = """mount --bind "$1/class" /sys/class && mount -t tmpfs none /mnt && mkdir -p /mnt/infiniband || exit 99
for n in null zero urandom; do touch /mnt/$n; mount --bind /dev/$n /mnt/$n || exit 99; done
touch /mnt/infiniband/uverbs0; mount --bind /dev/full /mnt/infiniband/uverbs0 || exit 99
mount --rbind /mnt /dev || exit 99
shift; exec "$@"
"""

need("unshare", "ibv_devices", "ibv_devinfo", provider=True)
need_plain()
need_namespaces("-m")
failed = 0


def check(good, what):
    global failed
    if not good:
        failed = 1
        print("FAILED:", what)


with tempfile.TemporaryDirectory(prefix="mlxo-both-") as machine:
    for name, text in FILES.items():
        path = os.path.join(machine, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text + "\n")

    def run(*words):
        return subprocess.run([*UNSHARE, "-m", "sh", "-c", SETUP, "sh", machine, TOOL, "model", "run", *words],
                              capture_output=True, text=True, timeout=60)

    def listed(*words):
        r = run(*words, "--", "ibv_devices")
        check(r.returncode == 0, f"{words}: {r}")
        return re.findall(r"(mlx5_\d+)\s+([0-9a-f]{16})", r.stdout)

    real, model = "0001020304050607", "0c42a10300000100"
    check(listed() == [("mlx5_0", model)], f"by default: {listed()}")
    check(listed("--show", "only") == [("mlx5_0", model)], f"only: {listed('--show', 'only')}")
    both = sorted(listed("--show", "both"))
    check(both == [("mlx5_0", real), ("mlx5_1", model)], f"both: {both}")
    two = sorted(listed("--show", "both", "model", "model"))
    check([name for name, _ in two] == ["mlx5_0", "mlx5_1", "mlx5_2"], f"both, two models: {two}")
    r = run("--show", "both", "--", "ibv_devinfo", "-d", "mlx5_1")
    check(r.returncode == 0 and "PORT_ACTIVE" in r.stdout, f"the model: {r}")
    r = run("--show", "both", "--", TOOL, "-d", "mlx5_1", "caps")
    check(r.returncode == 0, f"the model by our own provider: {r}")
    r = run("--show", "both", "--", "ibv_devinfo", "-d", "mlx5_0")
    check(r.returncode != 0 and "Failed to open device" in r.stderr, f"the host's: {r}")
    r = run("--show", "all", "--", "true")
    check(r.returncode != 0 and "--show all: allowed are only, both" in r.stderr, f"--show all: {r}")
    r = subprocess.run(["env", f"LD_PRELOAD={LIBRARY}", "MLXO_MODEL_SHOW=x", "ibv_devices"], capture_output=True, text=True)
    check("MLXO_MODEL_SHOW=x: allowed are only, both" in r.stderr, f"MLXO_MODEL_SHOW=x: {r}")
sys.exit(failed)
