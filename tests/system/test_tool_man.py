#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The verb table of the tool and the VERBS section of the man page say the same: names, order, words, sentence."""
import json
import os
import re
import subprocess
import sys

page = open(os.path.join(os.environ["MLXO_SRC"], "docs/man/mlx5-offload-tool.8.scd")).read()
tool = os.environ["MLXO_TOOL"]


def plain(text):
    """scdoc's marks removed: *bold*, _underlined_, \\escapes."""
    return re.sub(r"[*_\\]", "", " ".join(text.split()))


verbs = json.loads(subprocess.run([tool, "-j", "help"], check=True, capture_output=True).stdout)
section = page.split("\n# VERBS\n")[1].split("\n# ")[0]
parts = re.split(r"^## (.*)$", section, flags=re.M)[1:]
man = {name: body.strip().split("\n\n") for name, body in zip(parts[::2], parts[1::2])}

failed = 0
if list(man) != [v["verb"] for v in verbs]:
    print("verbs differ:", list(man), [v["verb"] for v in verbs])
    failed = 1
for v in verbs:
    paragraphs = man.get(v["verb"], ["", ""])
    synopsis = (v["verb"] + " " + v["words"]).strip()
    if plain(paragraphs[0]) != synopsis:
        print(f"{v['verb']}: synopsis\n  page  {plain(paragraphs[0])}\n  table {synopsis}")
        failed = 1
    if not re.match(re.escape(v["about"]) + r"[.:,]", plain(paragraphs[1])):
        print(f"{v['verb']}: the page does not begin with: {v['about']}")
        failed = 1

# The long options of the page are those of --help.
text = subprocess.run([tool, "help"], check=True, capture_output=True, text=True).stdout
for option in re.findall(r"--[a-z-]+", text.split("\n\n")[1]):
    if f"*{option}*" not in page:
        print(f"option {option} is not in the page")
        failed = 1
sys.exit(failed)
