#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""stress tls and pool: small runs by all three clocks, verified records, equal seeds, refusals, interruption, files."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import TOOL, batch, check, finish, run

VIRTUAL = "model:time=virtual"
HOST = ("rss_bytes",)  # what the machine has a part in, in virtual time


def stress(device, *words, json_out=True, timeout=110):
    """The objects of a run that must succeed."""
    rc, out, err = run(*(["-j"] if json_out else []), "-d", device, "stress", "tls", *words, timeout=timeout)
    if not check(rc == 0 and err == "", f"{device} {words}: {rc} {err} {out[:300]}"):
        finish()
    return json.loads(out) if json_out else out


def plain(results):
    """Without what is the machine's."""
    return [{k: v for k, v in r.items() if k not in HOST} for r in results]


# Every clock: all connections verified, with losses, in software and in hardware.
for device in ("model:time=zero", "model:time=real", VIRTUAL):
    for mode in ("none", "adaptive"):
        r, = stress(device, "--mode", mode, "--connections", "400", "--alive", "40", "--warmup", "100",
                    "--bytes", "mix:70%4096,30%200000", "--loss", "0.01", "--verify")
        what = f"{device} {mode}"
        check(r["mode"] == mode and r["time"] == device.split("=")[1], f"{what}: {r['mode']} {r['time']}")
        check("model" in r["rates_of"], f"{what}: it says that these are model rates")
        check(r["verified_connections"] == 400 and r["bad_connections"] == 0, f"{what}: verified {r}")
        check(r["verified_records"] >= 400 + 0.3 * 400 * 8, f"{what}: records {r['verified_records']}")
        check(r["retransmitted_bytes"] > 100000, f"{what}: resent {r['retransmitted_bytes']}")
        check(r["hw_byte_share"] > 0.4, f"{what}: share {r['hw_byte_share']}")
        check(250 <= r["measured_connections"] <= 300, f"{what}: window {r['measured_connections']}")

# Threads of the machine's clock.
r, = stress("model", "--connections", "2000", "--alive", "90", "--threads", "3", "--verify", "--bytes",
            "mix:90%3000,10%70000")
check(r["verified_connections"] == 2000 and r["threads"] == 3, f"threads: {r}")
check(r["retransmitted_bytes"] == 0, f"what is not lost is not sent again: {r['retransmitted_bytes']}")

# A second port at the other end of a cable sees what left.
r, = stress("model:port=pair:cable", "--wire", "model:port=pair:cable", "--mode", "tis+dek", "--connections", "1500", "--alive",
            "60", "--threads", "2", "--verify", "--loss", "0.005", "--bytes", "mix:90%3000,10%70000")
check(r["verified_connections"] == 1500 and r["bad_connections"] == 0 and r["retransmitted_bytes"] > 0, f"--wire: {r}")

# Without --verify a sample; nothing is lost, so records that the library left to the device
# are what the device says it encrypted.
r, = stress(VIRTUAL, "--connections", "2000", "--alive", "10", "--bytes", "500000")
check(20 <= r["verified_connections"] <= 40, f"a sample is verified: {r['verified_connections']}")
check(r["run_hw_record_bytes"] == r["run_device_encrypted_bytes"], f"bytes of both sides: {r}")
check(r["hw_byte_share_long"] > 0.5, f"hardware: {r['hw_byte_share_long']}")

# The modes cost what they are for, in virtual time.
rows = stress(VIRTUAL, "--mode", "all", "--connections", "6000", "--alive", "200")
check([r["mode"] for r in rows] == ["none", "tis", "tis+dek", "adaptive", "never"], f"modes {rows}")
none, tis, both, adaptive, never = rows
check(3.9 <= none["fw_commands_per_connection"] <= 4.1, f"none: {none['fw_commands_per_connection']}")
check(1.9 <= tis["fw_commands_per_connection"] <= 2.1, f"tis: {tis['fw_commands_per_connection']}")
check(0.9 <= both["fw_commands_per_connection"] <= 1.1, f"tis+dek: {both['fw_commands_per_connection']}")
check(both["connections_per_second"] > 7 * none["connections_per_second"], f"recycling pays {both} {none}")
check(none["opens_that_waited"] == none["open_latency_ns"]["count"], f"always waits: {none['opens_that_waited']}")
check(never["fw_commands"] == 0 and never["hw_byte_share"] == 0, f"never: {never}")
check(adaptive["opens_that_waited"] == 0, f"adaptive never waits: {adaptive['opens_that_waited']}")
names = set(none["fw_commands_by_opcode"])
check({"CREATE_TIS", "DESTROY_TIS"} <= names, f"opcodes {names}")
check(sum(none["fw_commands_by_opcode"].values()) == none["fw_commands"], f"opcodes sum up {none}")

# Equal seeds give equal bytes, another seed others; also with losses and in open loop.
words = ("--connections", "1500", "--rate", "200000", "--bytes", "mix:80%4096,20%100000", "--loss", "0.02", "--seed", "7",
         "--verify")
first = plain(stress(VIRTUAL, *words))
check(json.dumps(first) == json.dumps(plain(stress(VIRTUAL, *words))), "the same seed gives the same numbers")
other = plain(stress(VIRTUAL, *words[:-2], "8", "--verify"))
check(first[0]["window"] != other[0]["window"], "another seed gives other numbers")
check(first[0]["achieved_of_offered"] > 0.9, f"open loop: {first[0]['achieved_of_offered']}")

# Frames that the port loses without a trace are sent again too.
r, = stress("model:time=virtual,port=null;drop=0.05", "--connections", "300", "--alive", "30", "--warmup", "50",
            "--bytes", "50000", "--verify")
check(r["verified_connections"] == 300 and r["retransmitted_bytes"] > 0, f"port losses: {r}")

# What the wire damages is noticed: exit status 1 and one sentence with connection and record.
rc, out, err = run("-d", "model:time=virtual,port=null;corrupt=0.01", "stress", "tls", "--connections", "300", "--bytes",
                   "20000", "--verify")
check(rc == 1 and err.count("\n") == 1 and "connection " in err and ", record " in err, f"damage: {rc} {err!r}")

# Text: what it is said to be, and a row.
text = stress(VIRTUAL, "--connections", "200", "--alive", "20", json_out=False)
check("not of a NIC" in text and "time=virtual, seed 1" in text, f"head {text}")
check(any(line.startswith("adaptive ") for line in text.splitlines()), f"row {text}")

# Refusals: usage, one sentence with option and value, before anything is done.
for words, option, value in (
        (("--mode", "fast"), "--mode", "fast"), (("--connections", "0"), "--connections", "0"),
        (("--alive", "3", "--rate", "5"), "--rate", "5"), (("--bytes", "mix:80%1,30%2"), "--bytes", "mix:80%1,30%2"),
        (("--loss", "0.95"), "--loss", "0.95"), (("--threads", "2"), "--threads", "2"), (("--rate", "0"), "--rate", "0"),
        (("--bytes", "0"), "--bytes", "0"), (("--pace", "1"), "--pace", "1"), (("--warp", "9"), "--warp", "stress")):
    rc, out, err = run("-d", VIRTUAL, "stress", "tls", *words)
    check(rc == 2 and out == "" and err.count("\n") == 1 and option in err and value in err,
          f"{words}: {rc} {out!r} {err!r}")
for words in ((), ("ipsec",)):
    rc, out, err = run("stress", *words)
    check(rc == 2 and "allowed is tls" in err, f"stress {words}: {rc} {err!r}")
for device, words, why in ((VIRTUAL, ("--wire", "model"), "--wire: refused in virtual time"), ("model", ("--wire", ""), "--wire"),
                           ("model", ("--wire", "mlx5_77", "--connections", "10"), "mlx5_77")):
    rc, out, err = run("-d", device, "stress", "tls", *words)
    check(rc in (1, 2) and why in err and err.count("\n") == 1, f"{words}: {rc} {err!r}")
rc, out, err = run("-d", "model:profile=no-crypto", "stress", "tls", "--mode", "none", "--connections", "10")
check(rc == 1 and err.count("\n") == 1, f"no TLS: {rc} {err!r}")

# Files: looked at before the run; a line per interval.
with tempfile.TemporaryDirectory() as folder:
    for option in ("--csv", "--plot"):
        rc, out, err = run("-d", VIRTUAL, "stress", "tls", option, folder + "/none/x", "--connections", "100")
        check(rc == 1 and out == "" and option in err, f"{option}: {rc} {out!r} {err!r}")
        rc, out, err = run("-d", VIRTUAL, "stress", "tls", option, "-", "--connections", "100")
        check(rc == 2 and out == "" and f"{option}: - is refused" in err, f"{option} -: {rc} {out!r} {err!r}")
        if option == "--csv" or shutil.which("gnuplot"):  # a full disk; what was measured is shown all the same
            rc, out, err = run("-d", VIRTUAL, "stress", "tls", option, "/dev/full", "--connections", "1000", "--alive", "50")
            check(rc == 1 and "adaptive" in out and f"{option}: the file could not be written whole" in err, f"{option}: {rc} {err!r}")
    table = folder + "/x.csv"
    stress(VIRTUAL, "--mode", "all", "--connections", "1000", "--alive", "50", "--csv", table)
    lines = open(table).read().splitlines()
    check(lines[0].startswith("time_s,mode,connections_per_second,"), f"head of the CSV: {lines[0]}")
    check(len(lines) == 501 and all(line.count(",") == 5 for line in lines), f"lines of the CSV: {len(lines)}")
    rc, out, err = subprocess.Popen([TOOL, "-d", VIRTUAL, "stress", "tls", "--plot", folder + "/y.svg"],
                                    env={"PATH": folder}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True).communicate() + (None,)
    check("gnuplot is not installed" in out, f"no gnuplot: {out!r}")
    if shutil.which("gnuplot"):
        stress(VIRTUAL, "--mode", "all", "--connections", "1000", "--alive", "50", "--plot", folder + "/y.svg")
        picture = open(folder + "/y.svg").read()
        check("<svg" in picture and "</svg>" in picture and "tis+dek" in picture, "the picture is an SVG")

# SIGINT: what was measured until then, and nothing is left on the device (a batch looks at its census afterwards).
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/b", "w", encoding="ascii") as f:
        f.write("stress tls --connections 1000000000 --alive 100 --warmup 100 --csv " + folder + "/c\nstats\n")
    p = subprocess.Popen([TOOL, "-j", "-d", VIRTUAL, "-b", folder + "/b"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    while not os.path.exists(folder + "/c"):  # it has begun: signals are kept since the device was opened
        pass
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    lines = json.loads(out)
    check(p.returncode == 0 and err == "", f"interrupted: {p.returncode} {err}")
    check(lines[0]["output"][0]["interrupted"] is True, f"interrupted: {lines[0]}")
    if len(lines) > 1:
        census = lines[1]["output"][0]["census"]
        left = {k: n for k, n in census.items() if n and k not in ("uar", "pd", "td")}  # the device's own
        check(not left, f"census {census}")

# pool, and stats once an engine is open.
rc, lines = batch("stats\npool\nstats\n")
check(rc == 0 and "tls" not in lines[0]["output"][0], "stats opens no engine")
pool = lines[1]["output"][0]
check(pool["hardware"] is True and pool["context_pool"]["high"] > pool["context_pool"]["low"] > 0, f"pool {pool}")
check(pool["key_pool"]["max"] >= pool["key_pool"]["sync_at"] > 0, f"keys {pool}")
check(lines[2]["output"][0]["tls"]["key pool"]["max"] == pool["key_pool"]["max"], f"stats {lines[2]}")
rc, out, err = run("pool")
check(rc == 0 and "SYNC_CRYPTO" in out and "watermark" in out, f"pool in words: {out}")
rc, out, err = run("-d", "model:profile=no-crypto", "pool")
check(rc == 0 and "no TLS offload" in out, f"no pools: {rc} {out} {err}")
rc, lines = batch("pool\nstress tls --connections 100\npool\n")
check(rc == 0, f"a run after pool, whose engine is still filling its pools: {lines}")
rc, lines = batch("pool now\n")
check(rc == 2 and "now" in lines[0]["error"]["error"], f"pool now: {lines}")
finish()
