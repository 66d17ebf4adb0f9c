#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""completion bash: what the script that it prints offers, asked of bash itself."""
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import check, finish, run

os.chdir(tempfile.mkdtemp(prefix="mlxo-completion-"))
rc, script, err = run("completion", "bash")
check(rc == 0 and err == "", f"completion bash: {rc} {err}")
with open("script", "w") as f:
    f.write(script)
for name in ("left.batch", "left.key", "a b.pcap"):
    open(name, "w").close()


def complete(*words):
    """What is offered for the last of the words."""
    line = " ".join(map(shlex.quote, ("mlx5-offload-tool", *words)))
    r = subprocess.run(["/bin/bash", "-euc", f"source ./script; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
                        "_mlx5_offload_tool; [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\""],
                       capture_output=True, text=True, timeout=60)
    check(r.returncode == 0 and r.stderr == "", f"{words}: {r}")
    found = r.stdout.splitlines()
    check(len(found) == len(set(found)), f"{words}: one of {found} is there twice")
    return set(found)


verbs = json.loads(run("-j", "help")[1])
names = {v["verb"] for v in verbs}
options = {word for word in run("help")[1].split("\n\n")[1].replace(",", " ").replace(":", " ").split() if word.startswith("--")}
check(len(options) == 9, f"options: {options}")
check(names | options <= complete(""), f"verbs and options: {complete('')}")
check(complete("--") == options, f"--: {complete('--')}")
check(complete("cre") == {"create-sa", "create-policy"}, "cre")
check(complete("-j", "-d", "model", "show-") == {"show-sa", "show-policy"}, "behind options")
check(complete("--device", "create-sa", "sta") == complete("sta") == {n for n in names if n.startswith("sta")},
      "the value of an option is no verb")
check(complete("help", "") == names | {"help"}, "help knows the verbs")
for v in verbs:  # behind these two a file or a netdev comes
    check("help" in complete(v["verb"], "") or v["verb"] in ("send", "forward"), f"{v['verb']} help")
check({"src", "dst", "proto", "spi", "aead", "offload", "dir", "in", "out", "tcp", "--once", "stdin"} <= complete("create-sa", ""),
      "words of a synopsis, and of what it names")
check(complete("create-sa", "se") == {"sel"}, "create-sa se")
check(complete("create-policy", "dir", "in", "pri") == {"priority"}, "create-policy pri")
check({"dump", "constants", "decode", "help"} == complete("prm", ""), "prm")
check(complete("completion", "b") == {"bash"}, "completion")
check("ADDR" not in str(complete("create-sa", "")) and complete("flush-sa", "s") == set(), "no placeholders, no prose")
check("lo" in complete("forward", "l") and "lo" in complete("create-sa", "dev", ""), "netdevs")
for words in (("-b",), ("--batch",), ("create-sa", "file"), ("prm", "decode")):
    check(complete(*words, "left") == {"left.batch", "left.key"}, f"files behind {words}")
check(complete("send", "a") == {"a b.pcap"}, "a file's name with a blank")
check(complete("-d", "m") == {"model"}, "devices")

for words, why in (((), "its value is missing"), (("zsh",), "zsh is not known, allowed is bash"), (("bash", "x"), "unknown word x")):
    rc, out, err = run("completion", *words)
    check(rc == 2 and why in err and err.count("\n") == 1 and out == "", f"completion {words}: {rc} {err!r}")
check(json.loads(run("-j", "completion", "bash")[1]) == [{"script": script}], "the same as JSON")
finish()
