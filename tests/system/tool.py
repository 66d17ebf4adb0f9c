# SPDX-License-Identifier: BSD-2-Clause
"""Runs mlx5-offload-tool for the tests of this folder."""
import json
import os
import subprocess

TOOL = os.environ["MLXO_TOOL"]
THROUGH = os.environ.get("MLXO_TEST_DEVICE") == "mlx5"  # TOOL is through_libmlx5.sh
NAME = "mlx5_0" if THROUGH else "model"  # of the device
KEY = "0x44434241343332312423222114131211f4f3f2f1"
MARK = "44434241343332312423222114131211"
ID = "src 14.0.0.52 dst 14.0.0.70 proto esp spi 0x1007 mode transport reqid 7"
AEAD = "aead 'rfc4106(gcm(aes))'"
OFFLOAD = "offload packet dev eth4 dir out"

failures = []


def check(ok, what):
    """Notes a failure and goes on."""
    if not ok:
        failures.append(what)
        print("FAIL", what)
    return ok


def run(*args, stdin="", timeout=60):
    """Exit status, stdout, stderr of the tool with these words."""
    r = subprocess.run([TOOL, *args], input=stdin, capture_output=True, text=True, timeout=timeout)
    for text in (r.stdout, r.stderr):
        check(MARK not in text.lower(), f"key in the output of {args}")
    return r.returncode, r.stdout, r.stderr


def batch(lines, *args):
    """Exit status and the elements that a batch from standard input prints as JSON; stderr must be empty."""
    rc, out, err = run("-j", *args, "-b", "-", stdin=lines)
    check(err == "", f"stderr is empty with -j: {err!r}")
    return rc, json.loads(out)


def one(line, *args):
    """Exit status and the element of the only line."""
    rc, elements = batch(line + "\n", *args)
    return rc, elements[0]


def finish():
    """Ends the test."""
    print(f"{len(failures)} failures")
    raise SystemExit(1 if failures else 0)
