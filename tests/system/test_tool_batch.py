#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Options, batches, exit statuses, JSON, and keys that must not come by the command line."""
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tool import AEAD, ID, KEY, OFFLOAD, TOOL, batch, check, finish, run

os.chdir(tempfile.mkdtemp(prefix="mlxo-batch-"))
CREATE = f"create-sa {ID} {AEAD} {KEY} 128 {OFFLOAD}"


def write(name, text, mode=0o600):
    with open(name, "w") as f:
        f.write(text)
    os.chmod(name, mode)
    return name


# Usage: exit 2, one line.
for args, words in (([], "a verb is missing"), (["frob"], "unknown verb frob"), (["s"], "more than one verb"),
                    (["-x"], "unknown option -x"), (["-b"], "its value is missing"), (["caps", "now"], "unknown word now"),
                    (["-b", "-", "caps"], "with -b the verbs are in the batch"), (["prm"], "prm: allowed are"),
                    (["help", "frob"], "unknown verb frob"), (["export-sa", "x"], "--wireshark"),
                    (["create-sa", "spi"], "spi: its value is missing"), (["delete-sa", "spi", "1"], "dst")):
    rc, out, err = run(*args)
    check(rc == 2 and words in err and err.count("\n") == 1 and out == "", f"{args}: {rc} {out!r} {err!r}")
    rc, out, err = run("-j", *args)
    check(rc == 2 and err == "" and words in json.loads(out)["error"], f"-j {args}: {rc} {out!r} {err!r}")
rc, out, err = run("-b", "no-such-file")
check(rc == 1 and "no-such-file" in err, f"no such batch: {rc} {err}")

# Words may hold anything: messages stay one line, JSON stays JSON.
rc, out, err = run("fr\nob\x1b[31m")
check(rc == 2 and err.count("\n") == 1 and "\x1b" not in err, f"control characters: {err!r}")
r = subprocess.run([TOOL, "-j", "-b", "-"], input=b"show-sa sr\xff\xfe\n", capture_output=True)
check(r.returncode == 2 and "sr??" in json.loads(r.stdout)[0]["error"]["error"], f"not UTF-8: {r}")

# Help of a verb, wherever it is asked for, explains the words of its synopsis.
rc, wanted, err = run("help", "create-sa")
check(rc == 0 and "  SELECTOR: " in wanted and "  KEY: " in wanted and "TMPL" not in wanted, f"help: {rc} {wanted} {err}")
for word in ("help", "-h", "--help"):
    rc, out, err = run("create-sa", word)
    check(rc == 0 and out == wanted, f"create-sa {word}: {rc} {out!r} {err!r}")

# Abbreviations of verbs, outside of a batch only.
check(run("cap")[0] == 0, "cap is caps")
rc, lines = batch("cap\n")
check(rc == 2 and "no abbreviations" in lines[0]["error"]["error"], f"cap in a batch: {lines}")

# Every verb prints valid JSON, and help and version do as options too.
for args in (["caps"], ["help"], ["version"], ["show-sa"], ["show-policy"], ["stats"], ["flush-sa"], ["flush-policy"],
             ["prm", "dump"], ["prm", "constants"], ["-h"], ["-V"]):
    for form in ("-j", "-p"):
        rc, out, err = run(form, *args)
        check(rc == 0 and isinstance(json.loads(out), list) and err == "", f"{form} {args}: {rc} {err!r}")
    rc, out, err = run(*args)
    check(rc == 0 and (out or args[0].startswith("show")) and err == "", f"{args}: {rc} {err!r}")
rc, out, err = run("-j", "prm", "decode", "-", stdin="0800 0000 0000 0000 0000 0000 0000 0000\n")
check(rc == 0 and isinstance(json.loads(out), list), f"prm decode: {rc} {out} {err}")
rc, out, err = run("prm", "decode", "-", stdin="xyz")
check(rc == 1 and err.count("\n") == 1, f"prm decode of nonsense: {rc} {err}")

# Lines: comments, continuation, numbers in messages, the first error ends it, -f does not.
text = f"# comment\n\n{CREATE.replace(' mode', chr(92) + chr(10) + ' mode')}\nshow-sa dir sideways\nfrob\nshow-sa\n"
write("b", text)
rc, out, err = run("-b", "b")
check(rc == 2 and "b:5: dir: sideways" in err and "frob" not in err, f"batch: {rc} {err}")
rc, out, err = run("-f", "-b", "b")
check(rc == 3 and "b:5: " in err and "b:6: unknown verb frob" in err and out.count("spi 0x00001007") == 2,
      f"batch -f: {rc} {err} {out}")
rc, lines = batch(text)
check(rc == 2 and [line["line"] for line in lines] == [3, 5], f"lines: {lines}")
check("(hidden)" in lines[0]["command"] and "rfc4106(gcm(aes))" in lines[0]["command"], lines[0]["command"])
rc, lines = batch(text, "-f")
check(rc == 3 and [("error" in line) for line in lines] == [False, True, True, False], f"batch -f: {lines}")
check(set(lines[1]["error"]) == {"error", "errno"}, f"error object: {lines[1]}")
rc, lines = batch("")
check(rc == 0 and lines == [], "an empty batch is an empty array")
rc, lines = batch("show-sa 'x\nshow-sa\n", "-f")
check(rc == 3 and lines[0]["error"]["error"] == "a quote is not closed" and lines[1]["output"] == [], f"quote: {lines}")
rc, lines = batch(f"create-sa {ID} {AEAD} stdin 128 {OFFLOAD}\n")
check(rc == 2 and "standard input is the batch" in lines[0]["error"]["error"], f"stdin twice: {lines}")

# Keys. On argv: refused with why and how, gone from /proc at once, also where it stands wrongly.
for words in (f"{AEAD} {KEY} 128", f"enc 'cbc(aes)' {KEY}", f"aead {KEY} 128", KEY, f"auth 'hmac(sha1)' {KEY[2:]}"):
    rc, out, err = run("create-sa", *[w.strip("'") for w in f"{ID} {words} {OFFLOAD}".split()])
    check(rc == 2 and err.count("\n") == 1, f"key on argv: {rc} {err!r}")
    if words.startswith(AEAD):
        check("every user" in err and "file PATH|fd N|stdin" in err, f"why and how: {err}")
# It cannot be seen while the process waits for something else.
p = subprocess.Popen([TOOL, "prm", "decode", "-", KEY], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
p.communicate(b"")
check(p.returncode == 2, "words behind decode are refused")
p = subprocess.Popen([TOOL, "create-sa", "auth", "n", "stdin", "aead", "n", KEY, "128"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
p.communicate(b"")
check(p.returncode == 2, "a second algorithm's key is refused, too")

# In files: the mode counts.
write("key", KEY + "\n")
argv = ["create-sa", "--once", *f"{ID} aead rfc4106(gcm(aes)) file key 128 {OFFLOAD}".split()]
check(run(*argv)[0] == 0, "key file")
for mode in (0o640, 0o604, 0o660, 0o666):
    os.chmod("key", mode)
    rc, out, err = run(*argv)
    check(rc == 1 and err.count("\n") == 1, f"key file of mode {mode:o}: {rc} {err}")
rc, out, err = run(*[w if w != "key" else "no-key" for w in argv])
check(rc == 1 and "no-key" in err, f"no key file: {rc} {err}")
words = " ".join(argv).replace("file key", "stdin").split()
check(run(*words, stdin=KEY[2:])[0] == 0, "key by stdin")
with open(write("key2", KEY), "rb") as f:
    r = subprocess.run([TOOL, *" ".join(argv).replace("file key", f"fd {f.fileno()}").split()], pass_fds=[f.fileno()],
                       capture_output=True)
    check(r.returncode == 0, f"key by fd: {r.stderr}")
rc, out, err = run(*" ".join(argv).replace("file key", "fd 99").split())
check(rc == 1 and err.count("\n") == 1, f"key by a closed fd: {rc} {err}")
write("b", CREATE + "\n", 0o644)
rc, out, err = run("-b", "b")
check(rc == 1 and "b:1: " in err and "chmod 600" in err, f"batch of mode 644 with a key: {rc} {err}")
write("b", "show-sa\n", 0o644)
check(run("-b", "b")[0] == 0, "batch of mode 644 without a key")

# Export: a new private file, never over another.
rc, lines = batch(CREATE + "\nexport-sa --wireshark sa.txt\n")
check(rc == 0 and lines[1]["output"][0]["exported"] == 1, f"export: {lines}")
check(stat.S_IMODE(os.stat("sa.txt").st_mode) == 0o600, "export is private")
check(open("sa.txt").read() == f'"IPv4","14.0.0.52","14.0.0.70","0x00001007","AES-GCM with 16 octet ICV [RFC4106]",'
      f'"{KEY}","NULL",""\n', "export: " + open("sa.txt").read())
rc, lines = batch(CREATE + "\nexport-sa --wireshark sa.txt\n")
check(rc == 1 and lines[1]["error"]["errno"] == 17, f"export over a file: {lines}")

# A lone create-sa holds its SA until the signal, and ends in order.
for sig in (signal.SIGTERM, signal.SIGINT):
    os.chmod("key", 0o600)
    p = subprocess.Popen([TOOL, "-j", *[w for w in argv if w != "--once"]], stdout=subprocess.PIPE, text=True)
    line = p.stdout.readline()
    check(json.loads(line)[0]["spi"] == "0x00001007", f"create-sa prints at once: {line}")
    check(p.poll() is None, "create-sa holds the SA")
    p.send_signal(sig)
    check(p.wait(timeout=30) == 0, f"create-sa ends with {sig}: {p.returncode}")

# A batch from a pipe is executed as it comes; SIGTERM while it waits ends it in order.
p = subprocess.Popen([TOOL, "-j", "-b", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
check(p.stdout.readline() == "[\n", "batch begins")
p.stdin.write(CREATE + "\n")
p.stdin.flush()
first = p.stdout.readline()
check('"line":1' in first, f"a line is answered before the next comes: {first}")
p.send_signal(signal.SIGTERM)
rest = p.stdout.read()
check(p.wait(timeout=30) == 0, f"batch ends with SIGTERM: {p.returncode}")
check(len(json.loads("[\n" + first + rest)) == 1, f"and its JSON is whole: {rest!r}")

# -v: commands; -v -v: decoded; never a key.
rc, out, err = run("-v", "-b", "-", stdin=CREATE)
check(rc == 0 and "CREATE" in err, f"-v: {err[:300]}")
rc, out, more = run("-v", "-v", "-b", "-", stdin=CREATE)
check(rc == 0 and len(more) > len(err) and "(hidden)" in more, f"-v -v: {more[:300]}")
finish()
