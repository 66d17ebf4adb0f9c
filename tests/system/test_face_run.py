#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""model run: Debian's ibv_devices and ibv_devinfo on the model, exit statuses, signals, and nothing left behind."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from face import BUILD, LIBRARY, TOOL, need, need_plain

failed = 0


def check(good, what):
    global failed
    if not good:
        failed = 1
        print("FAILED:", what)


def run(*words, preload=""):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60, env=dict(env, LD_PRELOAD=preload))


need("ibv_devices", "ibv_devinfo", provider=True)
need_plain()
tmp = tempfile.mkdtemp(prefix="mlxo-face-run-")
env = dict(os.environ, TMPDIR=tmp)
census = os.path.join(tmp, "census")


def left():
    return glob.glob(os.path.join(tmp, "mlx5-model.*"))


# a stranger's DevX program, and what --trace says of it
example = os.path.join(BUILD, "examples", "devx_key")
WHY = "firmware: CREATE_GENERAL_OBJECT: BAD_PARAM_ERR (0x3), syndrome 0x0d000606: key: size is not offered"
r = run("model", "run", "--", example)
check(r.returncode == 0 and "key of 128 bits: created" in r.stdout and not r.stderr, f"devx_key: {r}")
r = run("model", "run", "--trace", "refused", "--", example)
check(r.returncode == 0 and r.stderr == WHY + "\n", f"--trace refused: {r}")
r = run("model", "run", "--trace", "calls", "--", example)
lines = r.stderr.splitlines()
check(WHY in lines and "firmware: ALLOC_PD: ok" in lines and "uverbs: DEVX_OBJ, method 0x1000, 3 attributes: ok" in lines,
      f"--trace calls: {r}")
r = run("model", "run", "--trace", "mailboxes", "--", example)
check("firmware <      key_purpose: 0x2 (IPSEC)" in r.stderr and "firmware <      key: (hidden)" in r.stderr
      and "5a5a" not in r.stderr, f"--trace mailboxes: {r}")
r = run("model", "run", "--trace", "all", "--", example)
check(r.returncode != 0 and "allowed are refused, calls, mailboxes" in r.stderr, f"--trace all: {r}")
env["MLXO_MODEL_TRACE"] = "refused"
r = run("model", "run", "fault=ALLOC_PD@1:timeout", "--", example)
check(r.returncode == 1 and "firmware: ALLOC_PD: no answer: Connection timed out" in r.stderr, f"no answer: {r}")
env["MLXO_MODEL_TRACE"] = "loud"
r = run("model", "run", "--", example)
check(r.returncode != 0 and "MLXO_MODEL_TRACE=loud: allowed are refused, calls and mailboxes" in r.stderr, f"loud: {r}")
del env["MLXO_MODEL_TRACE"]

# devices
r = run("model", "run", "--", "ibv_devices")
check(r.returncode == 0 and r.stdout.count("mlx5_") == 1, f"ibv_devices: {r}")
r = run("model", "run", "port=pair:a", "model:port=pair:a,profile=connectx-7", "--", "ibv_devices")
check(r.stdout.count("mlx5_") == 2, f"two devices: {r}")
env["MLXO_MODEL_CENSUS"] = census
r = run("model", "run", "mtu=1500", "--", "ibv_devinfo", "-v")
check(r.returncode == 0 and "PORT_ACTIVE" in r.stdout and "22.38.1002" in r.stdout, f"ibv_devinfo: {r}")
check("active_mtu:\t\t1024" in r.stdout, "active MTU of 1500 bytes")
lines = [json.loads(line) for line in open(census)]
check(lines and all(not line["left"] and not line["live"] for line in lines), f"census: {lines}")
del env["MLXO_MODEL_CENSUS"]
r = run("-d", "model:profile=no-tls", "model", "run", "--", "printenv", "MLXO_MODEL")
check(r.stdout == "model:profile=no-tls\n", f"-d is the device when there is no other: {r}")

# a netdev resolves to the device
r = run("model", "run", "--netdev", "lo", "--", "cat", "/sys/class/net/lo/device/vendor",
        "/sys/class/infiniband/mlx5_0/node_type")
check(r.stdout == "0x15b3\n1: CA\n", f"netdev: {r}")
r = run("model", "run", "--netdev", "lo", "--", "ls", "/sys/class/infiniband/mlx5_0/device/net")
check(r.stdout == "lo\n", f"netdev the other way: {r}")

# statuses
check(run("model", "run", "--", "sh", "-c", "exit 7").returncode == 7, "exit status")
check(run("model", "run", "--", "sh", "-c", "kill -SEGV $$").returncode == 128 + signal.SIGSEGV, "signal")
check(run("model", "run", "--", "/nonexistent").returncode == 127, "program that is not there")
for words in (["model"], ["model", "walk"], ["model", "run"], ["model", "run", "ibv_devices"], ["model", "run", "--"],
              ["model", "run", "port=null", "--netdev", "lo", "--", "true"]):
    check(run(*words).returncode == 2, f"usage: {words}")
r = run("model", "run", "profile=nothing", "--", "touch", os.path.join(tmp, "started"))
check(r.returncode == 1 and "profile='nothing'" in r.stderr and not os.path.exists(os.path.join(tmp, "started")),
      f"a device that is none: {r}")
check(not left(), f"left behind: {left()}")

# what could go wrong before the program starts does not start it without the model
for extra, words in (({"MLXO_MODEL_FAIL": "-1:ENOMEM"}, "MLXO_MODEL_FAIL=-1:ENOMEM: allowed is"), ({"TMPDIR": "/nowhere"}, "TMPDIR /nowhere")):
    r = subprocess.run([TOOL, "model", "run", "--", "touch", os.path.join(tmp, "started")], capture_output=True, text=True,
                       env={**env, **extra}, timeout=60)
    check(r.returncode != 0 and words in r.stderr and not os.path.exists(os.path.join(tmp, "started")), f"{extra}: {r}")
r = run("model", "run", *["model"] * 17, "--", "touch", os.path.join(tmp, "started"))
check(r.returncode != 0 and not os.path.exists(os.path.join(tmp, "started")), f"17 cards: {r}")

# a tool in a folder with a blank; a TMPDIR that is relative; another user; ignored signals stay ignored; no errno is lost
odd = os.path.join(tmp, "a b")
os.mkdir(odd)
for name in ("mlx5-offload-tool", "libmlx5-model-uverbs.so"):
    os.symlink(os.path.join(BUILD, name), os.path.join(odd, name))
shutil.copy(TOOL, os.path.join(odd, "tool"))
r = subprocess.run([os.path.join(odd, "tool"), "model", "run", "--", "ibv_devices"], capture_output=True, text=True, env=env, timeout=60)
check(r.returncode == 0 and "mlx5_0" in r.stdout and r.stderr == "", f"a blank in its folder: {r}")
r = subprocess.run([TOOL, "model", "run", "--", "sh", "-c", "cd / && ibv_devices"], capture_output=True, text=True,
                   env={**env, "TMPDIR": "."}, cwd=tmp, timeout=60)
check(r.returncode == 0 and "mlx5_0" in r.stdout, f"a relative TMPDIR: {r}")
r = subprocess.run(["sh", "-c", 'trap "" HUP INT; exec "$@"', "sh", TOOL, "model", "run", "--", "sh", "-c",
                    "kill -HUP $$; kill -INT $$; echo survived"], capture_output=True, text=True, env=env, timeout=60)
check(r.returncode == 0 and r.stdout == "survived\n", f"ignored signals: {r}")
r = subprocess.run([sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
                    "os.execv(sys.argv[1], sys.argv[1:])", TOOL, "model", "run", "--", "false"], env=env, timeout=60)
check(r.returncode == 1, f"SIGCHLD ignored: {r}")
r = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", TOOL, "model", "run", "--", "nosuch"], env=env, timeout=60)
check(r.returncode == 127, f"not found, without standard error: {r}")
check(not left(), f"left behind: {left()}")

def runs(pid):
    """Is it there, and not only waiting for somebody to ask how it ended?"""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


# killed programs leave nothing, a killed tool's program ends by the signal that the tool passes on
p = subprocess.Popen([TOOL, "model", "run", "--", "sh", "-c", "echo $$; kill -KILL $$"], stdout=subprocess.PIPE, env=env)
p.communicate(timeout=60)
check(p.returncode == 128 + signal.SIGKILL and not left(), f"SIGKILL: {p.returncode}, {left()}")
p = subprocess.Popen([TOOL, "model", "run", "--", "sh", "-c", "echo $$; exec sleep 1000"], stdout=subprocess.PIPE, env=env)
program = int(p.stdout.readline())
p.kill()
p.wait(timeout=60)
end = time.monotonic() + 60
while time.monotonic() < end and (left() or runs(program)):
    time.sleep(0.01)
check(not left() and not runs(program), f"SIGKILL of the tool: {left()}, process {program}")
p = subprocess.Popen([TOOL, "model", "run", "--", "sh", "-c", "echo ready; exec sleep 1000"], stdout=subprocess.PIPE,
                     env=env)
p.stdout.readline()
check(len(left()) == 1 and os.stat(left()[0]).st_mode & 0o777 == 0o755, f"directory of its own: {left()}")
p.send_signal(signal.SIGTERM)
p.wait(timeout=60)
check(p.returncode == 128 + signal.SIGTERM and not left(), f"SIGTERM: {p.returncode}, {left()}")

# a signal that comes as early as it can is passed on, too
early = os.path.join(BUILD, "tests", "early_signal_preload.so")
r = run("model", "run", "--", "sleep", "1000", preload=early)
check(r.returncode == 128 + signal.SIGTERM and not left(), f"SIGTERM right behind fork(): {r}, {left()}")

# without the tool: the library makes the directory itself and removes it
env["LD_PRELOAD"] = LIBRARY
r = subprocess.run(["ibv_devices"], capture_output=True, text=True, env=env)
check(r.stdout.count("mlx5_") == 1, f"preloaded alone: {r}")
env["MLXO_MODEL"] = "profile=nothing"
r = subprocess.run(["ibv_devices"], capture_output=True, text=True, env=env)
check("profile='nothing'" in r.stderr and "mlx5_" not in r.stdout, f"a device that is none, preloaded alone: {r}")

shutil.rmtree(tmp)
print("failed" if failed else "all checks passed")
sys.exit(failed)
