# SPDX-License-Identifier: BSD-2-Clause
"""The provider for NICs, with the real libibverbs and libmlx5, on the model behind the uverbs interface."""
import json
import os
import struct
import subprocess
import tempfile

from face import BUILD, LIBRARY, TOOL, need
from tool import check, finish

CARDS = "port=pair:face,mtu=9600,netdev=eth4 port=pair:face,mtu=9600,netdev=eth5"

need(provider=True)
tmp = tempfile.TemporaryDirectory()
census = f"{tmp.name}/census"


def through(argv, cards=CARDS, timeout=100, **env):
    """Runs a program on cards of the face. Every context that it closes must leave nothing behind."""
    if os.path.exists(census):
        os.unlink(census)
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    r = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, cwd=tmp.name,
                       env={**os.environ, "LD_PRELOAD": LIBRARY, "MLXO_MODEL": cards, "MLXO_MODEL_CENSUS": census,
                            "ASAN_OPTIONS": sanitizer, **env})
    left = [json.loads(line)["left"] for line in open(census)] if os.path.exists(census) else []
    check(not any(left), f"{argv} left {left}")
    return r, len(left)


def tool(*args, **more):
    return through([TOOL, *args], **more)


# every name, and the same capabilities as the model's own
model = subprocess.run([TOOL, "-d", "model", "caps"], capture_output=True, text=True).stdout.splitlines()
for name, verbs in (("mlx5_0", "mlx5_0"), ("mlx5:mlx5_1", "mlx5_1"), ("eth4", "mlx5_0"), ("eth5", "mlx5_1"),
                    ("0000:81:00.0", "mlx5_1"), ("80:00.0", "mlx5_0")):
    r, contexts = tool("-d", name, "caps")
    lines = r.stdout.splitlines()
    check(r.returncode == 0 and contexts == 1, f"{name}: {r.stderr}")
    check(lines[:1] == [f"device {verbs}"] and lines[1:] == model[1:], f"{name}: {lines[:2]}")
r, contexts = tool("-d", "mlx5_7", "caps")
check(r.returncode != 0 and contexts == 0, "a device that is not there")
check("there are mlx5_0 (0000:80:00.0, eth4), mlx5_1 (0000:81:00.0, eth5) and 'model'" in r.stderr, r.stderr)

# status and syndrome of a refusal come through libmlx5
r, _ = tool("-d", "mlx5_0", "caps", cards="fault=ALLOC_PD:status=0x8:syndrome=0x123456")
check(r.returncode != 0 and "ALLOC_PD" in r.stderr and "(0x8), syndrome 0x123456" in r.stderr, r.stderr)

# pools: many commands in flight at a time, threads of the executor's own
r, contexts = tool("-d", "mlx5_0", "pool")
check(r.returncode == 0 and contexts == 1, f"pool: {r.stderr}")


def frames(path):
    """Frames of a capture, without the times."""
    data, at, out = open(path, "rb").read(), 24, []
    while at < len(data):
        n = struct.unpack_from("<I", data, at + 8)[0]
        out.append(data[at + 16:at + 16 + n])
        at += 16 + n
    return out


# TLS: doorbells, keys, records; what leaves is what leaves the model, to the byte, whichever records were encrypted by the NIC
sender = f"{BUILD}/examples/tls_sender"
r = subprocess.run([sender], capture_output=True, text=True, cwd=tmp.name)
check(r.returncode == 0, f"tls_sender on the model: {r.stderr}")
there, contexts = through([sender, "mlx5_0"], cards=f"port=pcap:{tmp.name}/face.pcap")
check(there.returncode == 0 and contexts == 1, f"tls_sender through libmlx5: {there.stdout} {there.stderr}")
a, b = frames(f"{tmp.name}/tls_sender.pcap"), frames(f"{tmp.name}/face.pcap")
check(len(a) > 3000 and a == b, f"{len(a)} frames of the model, {len(b)} through libmlx5, the same: {a == b}")

# The ladder of connection rates over two NICs: what left one is decrypted at the other; nobody else answers.
r, contexts = tool("-j", "-d", "mlx5_0", *"stress tls --wire mlx5_1 --mode all --connections 1500 --threads 2 --loss 0.003 --verify".split())
check(r.returncode == 0 and contexts == 6, f"stress: {contexts} {r.stderr}")
modes = {m["mode"]: m for m in json.loads(r.stdout or "[]")}
check(len(modes) == 5 and all(m["verified_connections"] == 1500 and m["bad_connections"] == 0 for m in modes.values()), f"stress: {modes}")
commands = [modes[m]["fw_commands_per_connection"] for m in ("none", "tis", "tis+dek", "never")] if len(modes) == 5 else []
check(commands == sorted(commands, reverse=True) and 3.5 < commands[0] < 4.5 and commands[3] == 0, f"commands: {commands}")
check(all(m["time"] == "nic" and "model" in m["rates_of"] for m in modes.values()), "what it was measured on")
r, contexts = tool("-d", "mlx5_0", "stress", "tls", "--connections", "10")
check(r.returncode == 1 and "mlx5_0 needs --wire DEVICE" in r.stderr, f"stress without --wire: {r.stderr}")

# IPsec: rules of the root, two devices in one process, every packet compared; what only a model can do is skipped there
r, _ = tool("-d", "mlx5_0", "create-policy", *"src 192.0.2.1 dst 192.0.2.2 dir out action block --once".split())
rules = "cannot be attached: Protocol not supported" not in r.stderr
check(not rules or r.returncode == 0, f"policy: {r.stderr}")
if not rules:
    print("this face has no rules of the root: IPsec is left out")
for name, least in (("ipsec", 15), ("ipsec_bypass", 4)) if rules else ():
    r, contexts = through([f"{BUILD}/tests/test_system_{name}"], cards="port=pair:face,mtu=4096 port=pair:face,mtu=4096",
                          MLXO_TEST_DEVICES="mlx5_0 mlx5_1")
    passed = (r.stdout + r.stderr).count("[       OK ]")
    check(r.returncode == 0 and passed >= least and contexts >= 2 * least, f"{name}: {r.stdout[-2000:]}{r.stderr[-2000:]}")

finish()
