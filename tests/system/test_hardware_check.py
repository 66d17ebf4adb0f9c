#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/hardware-check: a report that can be sent to strangers, and an exit status that says what failed."""
import os
import stat
import subprocess
import tempfile

from tool import check, finish

BUILD, SRC = os.environ["MLXO_BUILD"], os.environ["MLXO_SRC"]
tmp = tempfile.TemporaryDirectory()
REPORT = f"{tmp.name}/report.txt"
SECRETS = ("measure-key", "6d6561737572652d6b6579")
ADDRESSES = ("04:3f:72:aa:bb:cc", "fe80::63f:72ff:feaa:bbcc", "2001:db8:1:2:3:4:5:6", "10.11.12.13", "043f:7203:00aa:bbcc")
KEPT = ("0000:65:00.0", "22.39.1002", "65:00.0 Ethernet", "[15b3:101d]")


def run(*words, path=None, device="model"):
    """Exit status, what it prints, the report; None: no report."""
    if os.path.exists(REPORT):
        os.unlink(REPORT)
    env = dict(os.environ)
    if path:
        env["PATH"] = f"{path}:{env['PATH']}"
    r = subprocess.run([f"{SRC}/scripts/hardware-check", "-d", device, "--build", BUILD, "--report", REPORT, *words],
                       capture_output=True, text=True, timeout=110, env=env, check=False)
    report = open(REPORT, encoding="utf-8").read() if os.path.exists(REPORT) else None
    for secret in SECRETS:
        check(secret not in (r.stdout + r.stderr + (report or "")).lower(), f"{words}: key material")
    return r.returncode, r.stdout + r.stderr, report


def fake(name, text):
    """A program of the host that prints this."""
    path = f"{tmp.name}/bin/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\ncat <<'E'\n{text}\nE\n")
    os.chmod(path, 0o755)
    return os.path.dirname(path)


# All of it on the model, with what a machine with a card would show.
host = fake("lspci", "\n".join((*ADDRESSES, *KEPT, "serial_number MT2025X00001", "board.serial_number: MT2025X00001",
                                "guid 04:3f:72:03:00:aa:bb:cc")))
rc, out, report = run(path=host)
check(rc == 0 and " 0 failed" in out, f"the model: {rc} {out}")
for step in ("doctor", "caps", "measure", "answers", "stress", "tls_sender"):
    check(f"  ok       {step}" in out and f"  ok       {step}" in report, f"{step}: {out}")
check("skipped  ipsec " in out and "--pair" in out, "what was not done is said")
check(not any(a in report for a in ADDRESSES) and "04:3f" not in report, [a for a in ADDRESSES if a in report])
check("MT2025X00001" not in report, "serial numbers are taken out")
check(all(k in report for k in KEPT), [k for k in KEPT if k not in report])
check('"bulk-id"' in report and "refused by the kernel" in report, "the answers are in the report")
check(stat.S_IMODE(os.stat(REPORT).st_mode) == 0o600, "the report is its owner's")
rc, out, report = run("--with-addresses", path=host)
check(rc == 0 and all(a in report for a in ADDRESSES) and "MT2025X00001" not in report, "--with-addresses")

# A leak would be noticed: no report at all then.
rc, out, report = run(path=fake("lspci", "what was loaded is Measure-Key-0000"))
check(rc == 1 and report is None and "key material" in out.lower(), f"leak: {rc} {out[-200:]}")
os.unlink(f"{tmp.name}/bin/lspci")

# What fails is a failure, and the rest is done all the same.
rc, out, report = run(device="model:fault=CREATE_TIS@3")
check(rc == 1 and "failed   measure" in out and "ok       doctor" in out, f"a fault: {rc} {out}")
check("INT_ERR" in report, "the report has the cause")
rc, out, report = run(device="model:fault=ALLOC_PD")
check(rc == 1 and "failed   doctor" in out and "failed   caps" in out, f"it does not open: {rc} {out}")

# No device: 77, nothing written. Wrong words: 2.
rc, out, report = run(device="no_such_device")
check(rc in (1, 77) and "no_such_device" in out and (rc == 1 or report is None), f"no device: {rc} {out}")
for words in (["--fast"], ["--pair", "mlx5_0"], ["--report"]):
    rc, out, report = run(*words)
    check(rc == 2 and report is None and "usage" in out, f"{words}: {rc} {out}")

finish()
