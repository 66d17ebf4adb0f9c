#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""measure: every question has its answer on the model, says why it is skipped elsewhere, and leaves nothing behind."""
import json
import os
import subprocess
import sys

from tool import check, finish

BUILD, SRC = os.environ["MLXO_BUILD"], os.environ["MLXO_SRC"]
MEASURE = f"{BUILD}/bench/measure/measure"
GOLDEN = f"{SRC}/tests/golden/measure-model.json"
KEYS = (b"measure-key-0000", b"measure-key-1111")  # what it loads


def measure(*words):
    r = subprocess.run([MEASURE, *words], capture_output=True, timeout=100, check=False)
    for key in KEYS:
        for form in (key, key.hex().encode(), key.hex().upper().encode()):
            check(form not in r.stdout + r.stderr, f"a key in the output of {words}")
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def answers(*words):
    rc, out, err = measure("--json", *words)
    check(err == "", f"{words}: stderr {err!r}")
    return rc, json.loads(out)


def stable(result):
    """What does not depend on the machine: no numbers."""
    return [{k: q[k] for k in ("name", "question", "kind", "answer")} for q in result["questions"]]


rc, model = answers("-d", "model")
if "--write" in sys.argv:
    with open(GOLDEN, "w", encoding="utf-8") as f:
        json.dump(stable(model), f, indent=1)
        f.write("\n")
    sys.exit(0)
with open(GOLDEN, encoding="utf-8") as f:
    golden = json.load(f)
check(rc == 0 and model["model"] and model["failed"] == model["left"] == model["skipped"] == 0, f"the model: {rc} {model}")
for want, have in zip(golden, stable(model)):
    check(want == have, f"expected {want}\n  and got {have}")
check(len(golden) == model["answered"], f"{len(golden)} expected, {model['answered']} answered")

# The check of what is sent can fail: without a fence the model's first packet meets the old context.
fences = next(q["answer"] for q in golden if q["name"] == "tls-fences")
check("none: completion, ciphertext wrong" in fences and fences.count("right") == 3, fences)

# Virtual time: the same answers, and the same numbers each time, which are the service times of the device's name.
rc, one = answers("-d", "model:time=virtual,DESTROY_TIS=77us", "latency", "sync-time")
rc2, two = answers("-d", "model:time=virtual,DESTROY_TIS=77us", "latency", "sync-time")
check(rc == rc2 == 0 and one == two, "virtual time gives equal numbers")
numbers = one["questions"][0]["numbers"]
check(numbers["tis_destroy_median"] == {"value": 77.0, "unit": "us"}, numbers)
check(numbers["tis_destroy_p99"]["value"] == 77.0 and numbers["tis_create_median"]["value"] < 20, numbers)
check(len(one["questions"]) == 2, "only what was asked")

# What a device lacks is said.
for profile, fewest, word in (("no-crypto", 15, "lacks"), ("no-tls", 6, "tls_tx"), ("no-bulk", 5, "log_dek_max_alloc")):
    rc, r = answers("-d", f"model:profile={profile}")
    skipped = [q["answer"] for q in r["questions"] if q["kind"] == "skipped"]
    check(rc == 0 and r["failed"] == 0 and len(skipped) >= fewest, f"{profile}: {rc} {r}")
    check(all(s for s in skipped) and any(word in s for s in skipped), f"{profile}: {skipped}")

# A command that fails is a failure, one that gets no answer leaves something, and the others go on.
rc, r = answers("-d", "model:fault=CREATE_TIS@3:syndrome=0xabcd")
bad = [q for q in r["questions"] if q["kind"] == "failed"]
check(rc == 1 and len(bad) == 1 and "0xabcd" in bad[0]["answer"], f"refused: {rc} {bad}")
check(r["left"] == 0 and r["answered"] == len(golden) - 1, "the others go on")
rc, r = answers("-d", "model:fault=DESTROY_GENERAL_OBJECT@5:timeout", "latency")
check(rc == 1 and r["left"] == 1 and r["questions"][0]["kind"] == "failed", f"no answer: {rc} {r}")
rc, r = answers("-d", "model:fault=DESTROY_FLOW_TABLE:status=0x5", "crypto-rules")
check(rc == 1 and r["left"] >= 1 and "could not be destroyed" in r["questions"][0]["answer"], f"left: {rc} {r}")

# Wrong words ask nothing; no device is told from a failure.
for words in (["nothing-like-it"], ["latency", "latencies"], ["--sent"], ["-d"]):
    rc, out, err = measure(*words)
    check(rc == 2 and out == "" and "usage" in err, f"{words}: {rc} {out} {err}")
rc, out, err = measure("nothing-like-it")
check("nothing-like-it" in err, err)
rc, out, err = measure("-d", "no_such_device")
check(rc in (1, 77) and out == "" and "no_such_device" in err, f"no device: {rc} {err}")
rc, out, err = measure("-d", "model:profile=typo")
check(rc == 1 and "typo" in err, f"a wrong option is no missing device: {rc} {err}")

# In words, all of it is there, too.
rc, out, err = measure()
check(rc == 0 and all(f"{q['name']}: {q['question']}" in out and q["answer"] in out for q in golden), "text")
check("of the model, not of a NIC" in out, "text says whose answers these are")
rc, out, err = measure("--list")
check([line.split()[0] for line in out.splitlines()] == [q["name"] for q in golden], "--list has all")

# As on a NIC, through libmlx5 and the uverbs interface: nothing is sent without --send.
FACE = f"{BUILD}/libmlx5-model-uverbs.so"
if os.path.exists(FACE) and not os.environ.get("ASAN_OPTIONS"):
    env = {**os.environ, "LD_PRELOAD": FACE, "MLXO_MODEL": "port=null"}
    for send in ([], ["--send"]):
        r = subprocess.run([MEASURE, "-d", "mlx5_0", "--json", *send, "tls-fences", "tls-dump", "bulk-id", "swap-ipsec"],
                           capture_output=True, text=True, timeout=100, env=env, check=False)
        if r.returncode == 77 or "without libibverbs" in r.stderr:
            break
        q = {x["name"]: x for x in json.loads(r.stdout)["questions"]}
        check(r.returncode == 0 and not json.loads(r.stdout)["model"], f"face: {r.returncode} {r.stderr}")
        check((q["tls-fences"]["kind"] == "skipped") == (not send), f"face {send}: {q['tls-fences']}")
        check("--send" in q["tls-fences"]["answer"] or send, q["tls-fences"])
        check("ciphertext" not in q["tls-fences"]["answer"], "nobody can see a NIC's ciphertext here")
        check("base + 1, offset 0: refused by the kernel (EINVAL)" in q["bulk-id"]["answer"], q["bulk-id"])
        check("MTU: completion" in q["tls-dump"]["answer"], q["tls-dump"])

finish()
