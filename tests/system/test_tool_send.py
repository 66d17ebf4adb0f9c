#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""send: frames of a capture leave through the device, policies and SAs apply; bad files are refused in one sentence."""
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.chdir(tempfile.mkdtemp(prefix="mlxo-send-"))

from scapy.all import (ESP, IP, IPv6, UDP, Ether, PcapNgWriter, PcapWriter, Raw, SecurityAssociation, rdpcap, wrpcap)
from tool import AEAD, KEY, TOOL, batch, check, finish, one, run


def frame(src, dst, i):
    ip = (IPv6 if ":" in src else IP)(src=src, dst=dst)
    return Ether(src="02:00:00:00:00:52", dst="02:00:00:00:00:70") / ip / UDP(sport=4000, dport=5000) / Raw(bytes([i]) * i * 7)


def rules(src, dst, spi):
    return (f"create-sa src {src} dst {dst} proto esp spi {spi} mode transport reqid 7 {AEAD} {KEY} 128 "
            f"offload packet dev eth4 dir out\n"
            f"create-policy src {src} dst {dst} dir out tmpl src {src} dst {dst} proto esp reqid 7\n")


V4, V6 = ("14.0.0.52", "14.0.0.70"), ("2001:db8::52", "2001:db8::70")
frames = [frame(*(V6 if i % 3 == 0 else V4), i) for i in range(1, 21)]
wrpcap("frames.pcap", frames)

# Without rules they leave as they are, and on a port that leads back they come in.
rc, line = one("send frames.pcap", "-d", "model:port=loop")
total = sum(map(len, frames))
check(rc == 0 and line["output"] == [{"sent": 20, "file": "frames.pcap", "bytes": total, "received": 20}], f"send: {line}")
rc, out, err = run("send", "frames.pcap")
check(rc == 0 and out == f"sent 20 frames of frames.pcap, {total} bytes, received 0\n" and err == "", f"send: {out} {err}")
rc, line = one("send frames.pcap", "-d", "model:port=pcap:wire.pcap")
check(rc == 0 and [bytes(p) for p in rdpcap("wire.pcap")] == [bytes(p) for p in frames], f"the wire has them: {line}")

# A name that looks like a key is a name here: digests are.
name = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.pcap"
os.link("frames.pcap", name)
rc, out, err = run("send", name)
check(rc == 0 and out.startswith("sent 20 frames of (hidden)"), f"{name}: {rc} {out} {err}")

# As often as asked, from the beginning again; more than the ring holds.
for count in (1, 20, 45, 3000):
    rc, line = one(f"send frames.pcap count {count}", "-d", "model:port=pcap:wire.pcap")
    want = [bytes(frames[i % 20]) for i in range(count)]
    check(rc == 0 and line["output"][0]["sent"] == count and [bytes(p) for p in rdpcap("wire.pcap")] == want, f"{count}: {line}")
rc, line = one("send frames.pcap count 5 interval 1ms", "-d", "model:port=pcap:wire.pcap")
check(rc == 0 and len(rdpcap("wire.pcap")) == 5, f"interval: {line}")
with PcapNgWriter("frames.pcapng") as f:
    f.write(frames)
rc, line = one("send frames.pcapng", "-d", "model:port=loop")
check(rc == 0 and line["output"][0]["received"] == 20, f"pcapng: {line}")

# With rules: protected, and scapy reads what was sent.
rc, lines = batch(rules(*V4, 0x1007) + rules(*V6, 0x1008) + "send frames.pcap\nshow-sa\n", "-d", "model:port=pcap:wire.pcap")
check(rc == 0 and lines[4]["output"][0]["sent"] == 20, f"send: {lines}")
check(sorted(sa["packets"] for sa in lines[5]["output"]) == [6, 14], f"counters: {lines[5]}")
key = bytes.fromhex(KEY[2:])
states = {spi: SecurityAssociation(ESP, spi=spi, crypt_algo="AES-GCM", crypt_key=key) for spi in (0x1007, 0x1008)}
wire = rdpcap("wire.pcap")
check(len(wire) == 20, f"{len(wire)} frames on the wire")
for before, after in zip(frames, wire):
    net = IPv6 if IPv6 in after else IP
    if check(ESP in after, f"protected: {after!r}"):
        plain = states[after[ESP].spi].decrypt(net(bytes(after[net])))
        check(bytes(plain[UDP]) == bytes(before[UDP]), f"decrypted: {plain!r}")

# A signal while it waits ends it in order, and it says how far it came.
tool = subprocess.Popen([TOOL, "-j", "-v", "-d", "model:port=pcap:wire.pcap", "send", "frames.pcap", "count", "9", "interval",
                         "3600s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
tool.stderr.readline()  # a firmware command: the device is being opened, signals are kept
tool.send_signal(signal.SIGINT)
try:
    out = tool.communicate(timeout=60)[0]
    check(tool.returncode == 0 and json.loads(out)[0]["sent"] == 1, f"SIGINT: {tool.returncode} {out}")
except subprocess.TimeoutExpired:
    tool.kill()
    check(False, "SIGINT does not end a send that waits")

# Bad files: one sentence, exit 1, and not even the good frames before the bad one are sent.
ok = bytes(frames[0])
with open("frames.pcap", "rb") as f:
    whole = f.read()


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


write("text", b"no capture at all, but long enough to have a header\n" * 3)
write("nothing", b"")
write("damaged", whole[:-5])
wrpcap("none.pcap", [])
wrpcap("long.pcap", [ok, Raw(ok + b"x" * 9300)])
wrpcap("short.pcap", [ok, ok, Raw(ok[:13])])
wrpcap("raw.pcap", [frames[0][IP]], linktype=101)
with PcapWriter("cut.pcap", linktype=1) as f:
    f.write_header(None)
    f.write_packet(ok, sec=1, usec=0)
    f.write_packet(ok[:30], sec=2, usec=0, wirelen=len(ok))
os.mkfifo("fifo")
for name, why in (("text", "is no capture that libpcap can read"), ("nothing", "is no capture that libpcap can read"),
                  ("damaged", "is damaged behind frame 19"), ("none.pcap", "holds no frames"),
                  ("long.pcap", f"frame 2 has {len(ok) + 9300} bytes, the channel takes 14 to 9216"),
                  ("short.pcap", "frame 3 has 13 bytes, the channel takes 14 to 9216"),
                  ("raw.pcap", "holds no Ethernet frames but RAW (link type 12)"),
                  ("cut.pcap", f"frame 2 is cut, 30 of its {len(ok)} bytes were captured"),
                  ("fifo", "is not a regular file"), (".", "is not a regular file"), ("missing", "No such file")):
    rc, out, err = run("send", name)
    check(rc == 1 and out == "" and err.startswith(f"mlx5-offload-tool: {name}") and why in err and err.count("\n") == 1,
          f"{name}: {rc} {out!r} {err!r}")
    rc, lines = batch(f"caps\nsend {name}\nsend frames.pcap\n", "-f", "-d", "model:port=loop")
    check(rc == 3 and why in lines[1]["error"]["error"] and lines[2]["output"][0]["received"] == 20, f"{name}: {lines[1:]}")

for words, why in (("", "its value is missing"), ("frames.pcap count", "its value is missing"),
                   ("frames.pcap count 0", "no number from 1"), ("frames.pcap count x", "no number"),
                   ("frames.pcap interval 5", "interval: 5 is no time"), ("frames.pcap interval 3601s", "no time"),
                   ("frames.pcap interval -1s", "no time"), ("frames.pcap fast", "unknown word fast")):
    rc, out, err = run("send", *words.split())
    check(rc == 2 and why in err and err.count("\n") == 1, f"send {words}: {rc} {err!r}")

finish()
