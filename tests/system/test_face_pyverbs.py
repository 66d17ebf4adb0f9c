#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's pyverbs tests (package rdma-core, unchanged) on the model: which pass, and why others do not run.

`expected` names how many tests of a module pass at least; a test that fails, or fewer that pass, is a failure here.
Everything that is not listed needs an RDMA transport (RC, UD, XRC, RoCE addresses), software steering or hardware that the model is not.
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

from face import TOOL, need, need_plain, skip

TESTS = "/usr/share/doc/rdma-core/tests"
expected = {
    "test_cq": 3,
    "test_cqex": 2,
    "test_device": 12,
    "test_flow": 5,
    "test_mlx5_cq": 1,
    "test_mlx5_flow": 4,
    "test_mlx5_query_port": 1,
    "test_mlx5_uar": 1,
    "test_mr": 1,
    "test_pd": 4,
    "test_qp": 6,  # three more draw flags at random, and pass if these are offered
    "test_rss_traffic": 1,
}
NEED_ROOT = ("test_flow", "test_mlx5_flow", "test_qp", "test_rss_traffic")  # raw packet QPs, says pyverbs
reasons = [  # words of pyverbs' own reason -> ours
    (r"QP type [2349]|QP type 1[01]|[RU]C QP|UD QP|Extended QP|Mlx5DV QP|XRCD|SRQ|Atomic|MW access|memory window",
     "no RDMA transport"),
    (r"ODP", "no on-demand paging"),
    (r"Device memory", "no device memory"),
    (r"dmabuf|EFA|cuda|PCI device|Crypto login|huge pages", "not of this machine or NIC"),
    (r"CQE 128B|real time|Packet pacing|VAR|schedule|(Extended|Mlx5DV) CQ|access flags", "not in the model"),
    (r"gid indices", "nothing to test"),
    (r"root", "needs root"),
]


def unpack(to):
    for name in os.listdir(TESTS):
        source, target = os.path.join(TESTS, name), os.path.join(to, name.removesuffix(".gz"))
        if name.endswith(".gz"):
            with gzip.open(source) as packed, open(target, "wb") as plain:
                shutil.copyfileobj(packed, plain)
        elif os.path.isfile(source):
            shutil.copy(source, target)


def run(module, folder):
    command = [TOOL, "model", "run", "--netdev", "lo", "port=loop", "--", "/usr/bin/python3",
               "tests/run_tests.py", "-v", f"tests.{module}", "--dev", "mlx5_0"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    results = re.findall(r"^(test_\w+) \(.*?(?:\.\.\. |\n.*?\.\.\. )(ok|ERROR|FAIL|skipped '.*?'|skipped \".*?\")",
                         done.stderr, re.M)
    return done, results


def why(text):
    for pattern, reason in reasons:
        if re.search(pattern, text):
            return reason
    return text


def main():
    need()
    need_plain()
    if not os.path.exists(TESTS):
        skip(f"{TESTS} is missing: install rdma-core, python3-pyverbs and libibverbs-dev")
    bad = 0
    with tempfile.TemporaryDirectory(prefix="mlxo-pyverbs-") as folder:
        os.mkdir(os.path.join(folder, "tests"))
        unpack(os.path.join(folder, "tests"))
        for module, least in sorted(expected.items()):
            done, results = run(module, folder)
            if os.geteuid() != 0 and module in NEED_ROOT:
                least = 0
            ok = [t for t, r in results if r == "ok"]
            failed = [t for t, r in results if r in ("ERROR", "FAIL")]
            skipped = {}
            for _, r in results:
                if r.startswith("skipped"):
                    skipped[why(r)] = skipped.get(why(r), 0) + 1
            words = ", ".join(f"{n} {reason}" for reason, n in sorted(skipped.items()))
            print(f"{module}: {len(ok)} passed, {len(failed)} failed; skipped: {words or 'none'}")
            if failed or len(ok) < least or done.returncode not in (0, 1):
                bad = 1
                print(f"  expected {least} to pass, exit status {done.returncode}, failed: {failed}")
                print(done.stderr[-3000:])
    others = sorted(f[:-3] for f in (n.removesuffix(".gz") for n in os.listdir(TESTS))
                    if f.startswith("test_") and f.endswith(".py") and f[:-3] not in expected)
    print("not run (no RDMA transport, no software steering, other hardware): " + ", ".join(others))
    return bad


sys.exit(main())
