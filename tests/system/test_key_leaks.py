#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A marked key goes through every verb, also failing ones, and must turn up nowhere but in the Wireshark export.

Searched: argv, environment, stdout, stderr (with -v -v), JSON, capture, and a core of the live process after the SA is
deleted; as bytes and as hex text of any case and spacing. Six bytes of the key in a row are a hit.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

TOOL = os.environ["MLXO_TOOL"]
KEY = b"kEyMaRkLeAkTeSt!SAlT"  # 16 + 4 bytes
KEY256 = b"kEyMaRkTwoLeAkTeSt!aNdMoReOfItHere#SaLt"[:32] + b"sAl2"
LABEL = "labelthatisnosecret"
WINDOW = 6
END = "endofbatch"  # no verb: its refusal says that all lines before it are done
RUN = subprocess.run

failures = []
with open(TOOL, "rb") as tool:  # the shadow memory of a sanitizer makes a core of terabytes
    SANITIZED = any(name in blob for blob in [tool.read()] for name in (b"__asan_init", b"__tsan_init"))


def windows(key):
    return [key[i : i + WINDOW] for i in range(len(key) - WINDOW + 1)]


def hits(blob, squeeze=True):
    """What of the keys is in blob: bytes, or hex text without regard to case and (squeeze) to what is between."""
    found = []
    text = blob.lower()
    if squeeze:
        text = re.sub(rb"0x|[\s:,.\-|]", b"", text)
    for key in (KEY, KEY256):
        for w in windows(key):
            if w in blob or w.hex().encode() in text:
                found.append(w)
    return found


def expect_clean(what, blob, squeeze=True):
    found = hits(blob, squeeze)
    if found:
        failures.append(f"{what}: {len(found)} pieces of a key, the first {found[0]!r}")


def sa(direction="out", spi="0x1001", key=None, extra="", icv="128"):
    src, dst = ("192.0.2.1", "192.0.2.2") if direction == "out" else ("192.0.2.2", "192.0.2.1")
    return (
        f"create-sa proto esp src {src} dst {dst} spi {spi} mode transport reqid 7 "
        f"aead 'rfc4106(gcm(aes))' {key or '0x' + KEY.hex()} {icv} {extra} "
        f"offload packet dev {LABEL} dir {direction}"
    )


def policy(direction="out"):
    src, dst = ("192.0.2.1", "192.0.2.2") if direction == "out" else ("192.0.2.2", "192.0.2.1")
    return (
        f"create-policy src {src}/32 dst {dst}/32 dir {direction} offload packet dev {LABEL} "
        f"tmpl src {src} dst {dst} proto esp reqid 7 mode transport"
    )


def lines(tmp):
    """Every verb, in ways that work and in ways that fail; the last ones remove every key."""
    hexkey = KEY.hex()
    keyfile = os.path.join(tmp, "key")
    wide = os.path.join(tmp, "wide")
    return [
        "version",
        "help",
        "help create-sa",
        "caps",
        sa(),
        sa("in", "0x1002", f"file {keyfile}"),
        sa("in", "0x1003", "0x" + KEY256.hex().upper()),
        policy(),
        policy("in"),
        "show-sa",
        "show-policy",
        "stats",
        "prm constants",
        # all of these fail
        sa(),  # exists
        sa(spi="0"),
        sa(spi="0x2000", key="0x" + hexkey[:-2]),
        sa(spi="0x2001", key="0x" + hexkey + "aa"),
        sa(spi="0x2002", key="0x" + hexkey[:-1]),
        sa(spi="0x2003", key="0x" + hexkey[:-1] + "g"),
        sa(spi="0x2004", key=hexkey),
        sa(spi="0x2005", icv="96"),
        sa(spi="0x2006", extra="mode nonsense"),
        sa(spi="0x2007", key=f"file {wide}"),
        sa(spi="0x2008", key=f"file {tmp}/none"),
        sa(spi="0x2009").replace("offload packet", "offload crypto"),
        sa(spi="0x200a").replace("rfc4106(gcm(aes))", "rfc4309(ccm(aes))"),
        sa(spi="0x200b") + " 0x" + hexkey,
        sa(spi="0x" + hexkey),
        f"create-sa proto esp src 192.0.2.1 dst 192.0.2.2 spi 9 auth 'hmac(sha1)' 0x{hexkey} "
        f"enc 'cbc(aes)' 0x{hexkey} offload packet dev x dir out",
        f"create-sa 0x{hexkey}",
        f"show-sa {hexkey}",
        f"delete-sa dst 192.0.2.2 spi 0x{hexkey}",
        f"create-policy src 0x{hexkey}",
        f"0x{hexkey}",
        f"forward 0x{hexkey}",
        f"caps 0x{hexkey}",
        f"export-sa --wireshark {tmp}/none/esp_sa",
        # clean up: policies, then SAs one by one and the rest at once
        "delete-policy src 192.0.2.1/32 dst 192.0.2.2/32 dir out",
        "delete-policy src 192.0.2.2/32 dst 192.0.2.1/32 dir in",
        "delete-sa src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x1001",
        "delete-sa src 192.0.2.2 dst 192.0.2.1 proto esp spi 0x1002",
        "flush-sa",
        "show-sa",
        END,
    ]


def proc_file(pid, name):
    with open(f"/proc/{pid}/{name}", "rb") as f:
        return f.read()


def core_of(pid, tmp):
    """A core of the live process, or None with the reason said loudly: ptrace may be forbidden here."""
    if SANITIZED:
        print("sanitizer build: the plain one looks at cores")
        return None
    out = RUN(["gcore", "-o", os.path.join(tmp, "core"), str(pid)], capture_output=True, text=True, timeout=100)
    path = os.path.join(tmp, f"core.{pid}")
    if out.returncode or not os.path.exists(path):
        print(f"NOT CHECKED: no core, gcore says: {out.stderr.strip()[-200:]}")
        return None
    with open(path, "rb") as f:
        blob = f.read()
    os.unlink(path)
    return blob


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"timed out: {what}")
        time.sleep(0.05)


def session(tmp, options):
    """All lines through a pipe that stays open, so that the process can be looked at when every key is gone."""
    commands = lines(tmp)
    out, err = os.path.join(tmp, "out"), os.path.join(tmp, "err")
    with open(out, "wb") as fo, open(err, "wb") as fe:
        p = subprocess.Popen(
            [TOOL, *options, "-b", "-", "-f"],
            stdin=subprocess.PIPE,
            stdout=fo,
            stderr=fe,
            env={**os.environ, "MLXO_NO_SECRET": LABEL},
        )
        p.stdin.write(("\n".join(commands) + "\n").encode())
        p.stdin.flush()

        def last_line_done():
            return any(END.encode() in open(path, "rb").read() for path in (out, err))

        wait_for(lambda: last_line_done() or p.poll() is not None, f"{options}: batch")
        if p.poll() is not None:
            sys.exit(f"{options}: the tool ended early: {open(err).read()[-500:]}")
        expect_clean(f"{options}: argv", proc_file(p.pid, "cmdline"))
        expect_clean(f"{options}: environment", proc_file(p.pid, "environ"))
        core = core_of(p.pid, tmp)
        p.stdin.close()
        p.terminate()
        p.wait(timeout=30)
    with open(out, "rb") as f:
        stdout = f.read()
    with open(err, "rb") as f:
        stderr = f.read()
    expect_clean(f"{options}: stdout", stdout)
    expect_clean(f"{options}: stderr", stderr)
    if core is not None:
        if LABEL.encode() not in core:
            failures.append(f"{options}: the core does not even hold what is no secret: the search proves nothing")
        expect_clean(f"{options}: core after the keys were deleted", core, squeeze=False)
    return stdout, stderr, core is not None


def check_argv_refusal(tmp):
    """A key on the command line is refused; it is not repeated."""
    line = [w.strip("'") for w in sa().split()]
    p = RUN([TOOL, *line], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    if p.returncode == 0 or b"file" not in p.stderr + p.stdout:
        failures.append(f"a key on the command line: exit {p.returncode}, {p.stderr!r}")
    expect_clean("refused key on the command line", p.stdout + p.stderr)


def check_other_sources(tmp):
    """A key by file, fd N and stdin, once each."""
    keyfile = os.path.join(tmp, "key")
    base = [w.strip("'") for w in sa(key="KEY").split()]
    at = base.index("KEY")
    for source in (["file", keyfile], ["stdin"], ["fd", "7"]):
        words = base[:at] + source + base[at + 1 :]
        with open(keyfile, "rb") as f:
            argv = ["sh", "-c", 'exec 7<"$0"; exec "$@"', keyfile, TOOL, "-v", "-v", "-j", *words, "--once"]
            p = RUN(argv, stdin=f, capture_output=True, timeout=60)
        if p.returncode:
            failures.append(f"key by {source[0]}: exit {p.returncode}, {(p.stdout + p.stderr)[-400:]!r}")
        expect_clean(f"key by {source[0]}", p.stdout + p.stderr)


INJECT = """
import socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("host", 0))
s.send(bytes.fromhex("020000000002020000000001" "0800" "450000214000000040110000c0000201c0000202" "138813890000d0000000")
       + b"hello")
"""


def check_capture(tmp):
    """What goes over the wire of a NIC that protects it, and the process that did it."""
    pcap = os.path.join(tmp, "wire.pcap")
    setup = "ip link add host type veth peer name nic && ip link set host up && ip link set nic up"
    if RUN(["unshare", "-n", "sh", "-c", setup], capture_output=True).returncode:
        print("NOT CHECKED: no capture, network namespaces are not permitted here")
        return False
    argv = ["unshare", "-n", "sh", "-c", f'{setup} && exec "$@"', "sh", TOOL, "-j", "-v", "-v"]
    argv += ["-d", f"model:port=pcap:{pcap}", "-b", "-"]
    with open(os.path.join(tmp, "out"), "w+b") as out, open(os.path.join(tmp, "err"), "w+b") as err:
        p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=err)
        p.stdin.write((sa() + "\n" + policy() + "\nforward nic\nversion\n").encode())
        p.stdin.flush()
        wait_for(lambda: b'"version"' in open(out.name, "rb").read(), "forward")

        def captured():
            RUN(["nsenter", "-t", str(p.pid), "-n", "/usr/bin/python3", "-c", INJECT], check=True)
            time.sleep(0.2)
            return os.path.getsize(pcap) > 24

        wait_for(captured, "an encrypted packet in the capture")
        p.terminate()
        p.wait(timeout=30)
        out.seek(0)
        err.seek(0)
        expect_clean("forward: output", out.read() + err.read())
    with open(pcap, "rb") as f:
        blob = f.read()
    expect_clean("capture", blob, squeeze=False)
    if b"hello" in blob or bytes.fromhex("00001001") not in blob:
        failures.append("the capture does not hold the protected packet")
    return True


def check_export(tmp):
    """The one way out, asked for by name. It also proves that the search finds a key."""
    path = os.path.join(tmp, "esp_sa")
    batch = os.path.join(tmp, "batch")
    with open(os.open(batch, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write(sa() + f"\nexport-sa --wireshark {path}\nflush-sa\n")
    p = RUN([TOOL, "-v", "-v", "-b", batch], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    expect_clean("export-sa: output", p.stdout + p.stderr)
    if p.returncode or not os.path.exists(path):
        failures.append(f"export-sa: exit {p.returncode}, {p.stderr[-400:]!r}")
        return
    with open(path, "rb") as f:
        if len(hits(f.read())) < len(windows(KEY)):
            failures.append("export-sa: the key is not in the export, or the search does not see it")
    if os.stat(path).st_mode & 0o777 != 0o600:
        failures.append(f"export-sa: mode {os.stat(path).st_mode & 0o777:o}, wanted 600")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for name, mode in (("key", 0o600), ("wide", 0o644)):
            with open(os.open(os.path.join(tmp, name), os.O_WRONLY | os.O_CREAT, mode), "w") as f:
                f.write("0x" + KEY.hex() + "\n")
            os.chmod(os.path.join(tmp, name), mode)
        stdout, _, cored = session(tmp, ["-v", "-v", "-j"])
        array = json.loads(stdout)
        if len(array) != len(lines(tmp)):
            failures.append(f"JSON: {len(array)} results for {len(lines(tmp))} lines")
        session(tmp, ["-v", "-v"])
        check_argv_refusal(tmp)
        check_other_sources(tmp)
        captured = check_capture(tmp)
        check_export(tmp)
    if failures:
        sys.exit("\n".join(failures))
    print("no piece of a key found")
    return 0 if (cored or SANITIZED) and captured else 77


sys.exit(main())
