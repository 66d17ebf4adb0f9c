#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""doctor: what is checked, what it says, when it fails; hosts are pretended with SYSFS_PATH."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL = os.environ["MLXO_TOOL"]


def doctor(spec, **env):
    p = subprocess.run([TOOL, "-j", "-d", spec, "doctor"], capture_output=True, text=True, check=False,
                       env={**os.environ, **env})
    checks = json.loads(p.stdout.splitlines()[0])
    return p.returncode, {c["check"]: c for c in checks if "check" in c}


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def model():
    rc, checks = doctor("model")
    expect(rc == 0, "the model has everything")
    expect(all(c["result"] == "ok" for c in checks.values()), checks)
    expect("TLS 1.3 transmit, AES-GCM-256" in checks, "TLS is checked by version and key size")
    rc, checks = doctor("model:profile=tls12-only")
    expect(rc == 0 and checks["TLS 1.3 transmit, AES-GCM-128"]["result"] == "warning", "TLS 1.3 is missing")
    expect("tls_1_3_aes_gcm_128" in checks["TLS 1.3 transmit, AES-GCM-128"]["detail"], "the capability is named")
    expect(checks["TLS 1.2 transmit, AES-GCM-128"]["result"] == "ok", "TLS 1.2 is there")
    rc, checks = doctor("model:profile=no-bulk")
    expect(checks["keys"]["result"] == "warning" and "two commands" in checks["keys"]["advice"], checks["keys"])
    rc, checks = doctor("model:profile=no-crypto")
    expect(rc == 0 and checks["keys"]["result"] == "warning", "no keys")
    rc, checks = doctor("model:fault=ALLOC_PD:status=0x8")
    expect(rc == 1 and checks["device opens"]["result"] == "failed", "the device does not open")
    expect("ALLOC_PD" in checks["device opens"]["detail"], checks["device opens"])


def host():
    with tempfile.TemporaryDirectory() as sysfs:
        rc, checks = doctor("mlx5_7", SYSFS_PATH=sysfs)
        expect(rc == 1, "there is no such device")
        expect(checks["kernel modules"]["result"] == "warning", checks)
        expect(checks["kernel modules"]["detail"].startswith("not loaded: "), checks)
        expect(checks["RDMA devices"]["result"] == "failed", checks)
        expect("lspci" in checks["RDMA devices"]["advice"], "says where to look")
        for name in ("module/mlx5_core", "module/mlx5_ib", "module/ib_uverbs", "class/infiniband/mlx5_7"):
            (pathlib.Path(sysfs) / name).mkdir(parents=True)
        rc, checks = doctor("mlx5_7", SYSFS_PATH=sysfs)
        expect(checks["kernel modules"]["result"] == "ok", checks)
        expect(checks["RDMA devices"]["detail"] == "mlx5_7", checks)
        expect(checks["device opens"]["result"] == "failed", "it is only a folder")


def text():
    p = subprocess.run([TOOL, "doctor"], capture_output=True, text=True, check=True)
    expect(p.stdout.startswith("ok       host: the model is software"), p.stdout)
    p = subprocess.run([TOOL, "-d", "model:profile=no-tls", "doctor"], capture_output=True, text=True, check=True)
    expect("\n         do: " in p.stdout, "advice stands under what is not good")


model()
host()
text()
