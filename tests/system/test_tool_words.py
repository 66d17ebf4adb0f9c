#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lines of how-to's through the whole tool: accepted, refused, warned of, and what is shown of them."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import AEAD, ID, KEY, OFFLOAD, batch, check, finish, one, run

SEED = (
    "x s add proto esp src {0} dst {1} spi 0x07 mode transport reqid 0x07 replay-window 32 "
    + AEAD + " " + KEY + " 128 sel src {0}/24 dst {1}/24 proto tcp {2}"
)


def seed(offload, out=True):
    return "create-sa " + SEED.format(
        *(("14.0.0.52", "14.0.0.70") if out else ("14.0.0.70", "14.0.0.52")), offload)


# The seed pair with packet offload, both directions, and what show-sa says of it.
rc, lines = batch("\n".join([seed("offload packet dev eth4 dir out"), seed("offload packet dev eth4 dir in", False),
                             "show-sa", "show-sa dir in", "flush-sa", "show-sa"]))
check(rc == 0, f"seed pair: {rc} {lines}")
out = lines[0]["output"][0]
for key, value in {"src": "14.0.0.52", "dst": "14.0.0.70", "proto": "esp", "spi": "0x00000007", "reqid": 7,
                   "mode": "transport", "dir": "out", "replay_window": 32, "replay": "off", "packets": 0,
                   "bytes": 0}.items():
    check(out[key] == value, f"{key} is {out[key]!r}")
check(out["aead"] == {"name": "rfc4106(gcm(aes))", "icv_bits": 128, "key_bits": 128}, f"aead {out['aead']}")
check(out["sel"] == {"src": "14.0.0.52/24", "dst": "14.0.0.70/24", "proto": "tcp"}, f"host bits are kept {out['sel']}")
check(out["offload"]["type"] == "packet" and out["offload"]["dev"] == "eth4", f"offload {out['offload']}")
check(out["drops"] == {"auth": 0, "trailer": 0, "selector": 0}, f"drops {out['drops']}")
check(20 < out["overhead"] < 60 and out["usable_mtu"] > 1000, f"overhead {out['overhead']} mtu {out['usable_mtu']}")
warnings = " ".join(lines[0]["warnings"] if "warnings" in lines[0] else out.get("warnings", []))
check("7" in warnings and "reserved" in warnings, f"SPI 7 is warned of: {warnings!r}")
warnings = " ".join(lines[1]["output"][0].get("warnings", []) + lines[1].get("warnings", []))
check("replay" in warnings, f"a replay window is warned of: {warnings!r}")
check([sa["dir"] for sa in lines[2]["output"]] == ["out", "in"], "both are shown")
check([sa["dir"] for sa in lines[3]["output"]] == ["in"], "the filter filters")
check(lines[4]["output"] == [{"deleted": 2}], f"flush {lines[4]}")
check(lines[5]["output"] == [], "an empty list is []")

# Spellings of offload: crypto is parsed and refused in one sentence, packet and full are the same.
for spelling, accepted in (("offload dev eth0 dir out", False), ("offload crypto dev eth0 dir out", False),
                           ("offload packet dev eth0 dir out", True), ("offload full dev eth0 dir out", True)):
    rc, line = one(seed(spelling))
    if accepted:
        check(rc == 0 and line["output"][0]["offload"]["type"] == "packet", f"{spelling}: {line}")
    else:
        check(rc == 1 and "crypto" in line["error"]["error"] and "packet" in line["error"]["error"],
              f"{spelling}: {rc} {line}")

# Key material by its length; what is malformed is refused without being shown.
for length in (16, 19, 20, 21, 28, 36, 37):
    digits = "a5" * length
    rc, line = one(f"create-sa {ID} {AEAD} 0x{digits} 128 {OFFLOAD}")
    check((rc == 0) == (length in (20, 36)), f"key of {length} bytes: {rc} {line}")
    if rc == 0:
        check(line["output"][0]["aead"]["key_bits"] == (length - 4) * 8, f"key bits of {length}")
    else:
        check(str(length) in line["error"]["error"] or str(length * 8) in line["error"]["error"],
              f"the length {length} is named: {line}")
    check(digits not in str(line), f"key of {length} bytes is shown")
for what, key, accepted in (("odd", KEY[:-1], False), ("no 0x", KEY[2:], False), ("no hex", KEY[:-2] + "zz", False),
                            ("empty", "''", False)):
    rc, line = one(f"create-sa {ID} {AEAD} {key} 128 {OFFLOAD}")
    check((rc == 0) == accepted, f"key {what}: {rc} {line}")

# SPIs.
sa = f"create-sa src 14.0.0.52 dst {{}} proto esp spi {{}} mode transport reqid 7 {AEAD} {KEY} 128 {OFFLOAD}"
for spi, accepted, warned in ((0, False, False), (1, True, True), (255, True, True), (256, True, False),
                              (0xffffffff, True, False)):
    rc, line = one(sa.format("14.0.0.70", spi))
    check((rc == 0) == accepted, f"spi {spi}: {rc} {line}")
    check(("reserved" in str(line)) == warned or not accepted, f"spi {spi}: warned {line}")
rc, lines = batch("\n".join([sa.format("14.0.0.70", 300), sa.format("14.0.0.71", 300), sa.format("14.0.0.70", 300)]),
                  "-f")
check(rc == 3 and "output" in lines[0] and "output" in lines[1], f"same SPI for another destination: {lines}")
check(lines[2]["error"]["errno"] == 17 and "exist" in lines[2]["error"]["error"], f"the same again exists: {lines[2]}")

# Policies: as ip xfrm writes them.
rc, lines = batch("\n".join([
    seed("offload packet dev eth4 dir out"),
    "create-policy x p add src 14.0.0.52/24 dst 14.0.0.70/24 proto tcp dir out priority 5 offload packet dev eth4 "
    "tmpl src 14.0.0.52 dst 14.0.0.70 proto esp reqid 0x07 mode transport",
    "create-policy dst 14.0.0.0/8 dir in action block",
    "show-policy",
    "delete-policy src 14.0.0.52/24 dst 14.0.0.70/24 proto tcp dir out",
    "delete-policy dst 14.0.0.0/8 dir in",
    "show-policy",
    "delete-policy dst 14.0.0.0/8 dir in",
]))
check([("error" in line) for line in lines] == [False] * 7 + [True], f"policies: {lines}")
check(rc == 1 and lines[-1]["error"]["errno"] == 2, f"no such policy: {rc} {lines[-1]}")
check([p["dir"] for p in lines[3]["output"]] == ["out", "in"], "policies: out first")
check(lines[3]["output"][0]["tmpl"][0]["reqid"] == 7 and lines[3]["output"][1]["action"] == "block", "policies shown")
check(lines[6]["output"] == [], "policies gone")

# delete-sa finds one.
rc, lines = batch("\n".join([sa.format("14.0.0.70", 300), "delete-sa dst 14.0.0.70 spi 301"]))
check(rc == 1 and lines[1]["error"]["errno"] == 2, f"delete-sa: {lines[1]}")
rc, lines = batch("\n".join([sa.format("14.0.0.70", 300), "delete-sa dst 14.0.0.70 spi 300", "show-sa"]))
check(rc == 0 and lines[2]["output"] == [], f"delete-sa: {lines}")

# --once leaves nothing and says what it tested.
rc, lines = batch(f"create-sa --once {ID} {AEAD} {KEY} 128 {OFFLOAD}\nshow-sa\n"
                  "create-policy --once dst 1.2.3.4 dir out\nshow-policy\n")
check(rc == 0 and lines[1]["output"] == [] and lines[3]["output"] == [], f"--once: {lines}")
for line in (lines[0], lines[2]):
    check(line["output"][1]["tested"] == ["created", "queried", "removed", "census as before"], f"--once: {line}")

# A device that cannot is said so.
rc, line = one(f"create-sa {ID} {AEAD} {KEY} 128 {OFFLOAD}", "-d", "model:profile=no-crypto")
check(rc == 1 and line["error"]["errno"] == 95, f"no-crypto: {rc} {line}")
rc, out, err = run("-d", "mlx5_77", "caps")
check(rc == 1 and err.count("\n") == 1 and "mlx5_77" in err, f"no such device: {rc} {err}")
finish()
