#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dpdk-testpmd on two models: frames of mixed sizes forwarded without loss and change, and rte_flow rules in group 0.

Both ways of its driver to make rules are tried: by DevX and mlx5dv_create_flow (dv_flow_en=1), and by verbs (0).
"""
import os
import random
import re
import struct
import sys
import tempfile
import time

import testpmd

testpmd.enter()
from scapy.all import GRE, IP, TCP, UDP, VXLAN, Dot1Q, Ether, IPv6, Raw  # noqa: E402

FRAMES, LOOPED = 100_000, 100_000
SIZES = (60, 64, 65, 128, 256, 511, 1024, 1500, 1514, 4000, 9014)
RSS_KEY_LEN = 40
random.seed(1)
noise = random.randbytes(9014)


def check(good, what):
    if not good:
        print("FAILED:", what)
        sys.exit(1)


def mixed(n):
    """Frames of a type of their own, each with its number."""
    for i in range(n):
        yield b"\2\0\0\0\0\2\2\0\0\0\0\1\x88\xb5" + struct.pack(">I", i) + noise[: SIZES[i % len(SIZES)] - 18]


def io(dv):
    """Between two hosts: every byte of every frame."""
    t = testpmd.Testpmd(["port=tap:t0", "port=tap:t1"], dv)
    t.start()
    got = testpmd.exchange(testpmd.Host("t0"), testpmd.Host("t1"), mixed(FRAMES), lambda sent, parts: parts[0] == sent)
    rx, tx = t.stats(0)[0], t.stats(1)[1]
    size = sum(len(f) for f in mixed(FRAMES))
    check(rx == (FRAMES, 0, size) and tx == (FRAMES, 0, size), f"port statistics {rx} {tx}, sent {FRAMES} frames, {size} bytes")
    dropped = t.quit()
    check(got == FRAMES and not dropped, f"{got} of {FRAMES}, {dropped} dropped")
    print(f"io, dv_flow_en={dv}: {got} frames of {min(SIZES)} to {max(SIZES)} bytes, all as sent")


def pair():
    """Wired with each other: frames go round until there were enough, and none changes on the way."""
    with tempfile.TemporaryDirectory(prefix="mlxo-dpdk-wire-") as folder:
        wire = os.path.join(folder, "wire.pcap")
        t = testpmd.Testpmd([f"port=pair:x;capture={wire}", "port=pair:x"])
        for size in (64, 200, 1000, 1514, 5000):
            t.say(f"set txpkts {size}")
            t.start("start tx_first")
            if size != 5000:
                t.ask("stop", "^Done")
        end = time.monotonic() + testpmd.PATIENCE_S
        while t.stats(0)[0][0] < LOOPED:
            check(time.monotonic() < end, f"only {t.stats(0)} went round in {testpmd.PATIENCE_S} s")
        dropped = t.quit()
        kinds, frames = {}, 0
        for frame in testpmd.frames_of(wire):
            kinds[frame] = kinds.get(frame, 0) + 1
            frames += 1
    check(not dropped, f"{dropped} dropped")
    check(frames >= LOOPED, f"{frames} frames on the wire")
    sizes = sorted({len(f) for f in kinds})
    check(sizes == [64, 200, 1000, 1514, 5000], f"sizes {sizes}")
    # testpmd makes them all alike but for addresses and lengths: a changed byte would be a kind of its own
    check(len(kinds) <= 10, f"{len(kinds)} kinds of frames")
    for frame in kinds:
        packet = Ether(frame)
        check(packet[IP].len == len(frame) - 14 and packet[UDP].len == len(frame) - 34, f"lengths of {frame[:42].hex()}")
    print(f"io, wired as a pair: {frames} frames in one direction, {len(kinds)} kinds, none changed, none lost")


# -- rules --------------------------------------------------------------------------------------------------------


def toeplitz(key, data):
    value, window = 0, int.from_bytes(key, "big")
    bits = len(key) * 8
    for i, bit in enumerate(b for byte in data for b in (byte >> s & 1 for s in range(7, -1, -1))):
        if bit:
            value ^= window >> (bits - 32 - i) & 0xFFFFFFFF
    return value


def eth(*layers, length=100):
    packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    for layer in layers:
        packet /= layer
    return bytes(packet / Raw(noise[:length]))


V4, V6 = IP(src="192.0.2.1", dst="192.0.2.2"), IPv6(src="2001:db8::1", dst="2001:db8::2")


def rules(dv):
    t = testpmd.Testpmd(["port=tap:t0", "port=tap:t1"], dv, args=("--rxq=2", "--txq=2"))

    def rule(words):
        return int(t.ask(f"flow create 0 ingress {words}", r"Flow rule #(\d+) created")[1])

    def refused(words):
        t.ask(f"flow create 0 ingress {words}", "port_flow_complain")

    counted = rule("pattern eth / ipv4 / udp dst is 5001 / end actions count / queue index 1 / end")
    dropped = rule("pattern eth / ipv4 / udp dst is 53 / end actions count / drop / end")
    rule("pattern eth / ipv4 / udp src is 7 dst is 9 / end actions mark id 77 / queue index 0 / end")
    rule("pattern eth / vlan vid is 5 / end actions flag / queue index 1 / end")
    rule("pattern eth / ipv4 / tcp / end actions rss types ipv4-tcp end queues 0 1 end / end")
    rule("pattern eth / ipv6 / udp / end actions queue index 1 / end")
    if dv:
        rule("pattern eth / ipv4 / esp / end actions queue index 1 / end")
    refused("group 1 pattern eth / ipv4 / end actions queue index 0 / end")
    refused("pattern eth / ipv4 / end actions queue index 9 / end")
    key = bytes.fromhex(t.ask("show port 0 rss-hash key", r"RSS key:\s*$|^([0-9A-Fa-f]{80})").group(1)
                        or t.until(r"^([0-9A-Fa-f]{80})")[1])
    check(len(key) == RSS_KEY_LEN, f"key of {len(key)} bytes")
    t.say("set verbose 1")
    t.start()
    a, b = testpmd.Host("t0"), testpmd.Host("t1")

    def seen(frame, *patterns):
        """The frame is forwarded as it is, and testpmd says of it what it should."""
        at = len(t.lines)
        a.send(frame)
        check(b.receive(testpmd.PATIENCE_S) == [frame], f"forwarded: {frame[:50].hex()}")
        queue = t.until(r"port 0/queue (\d): received 1 packets", at)[1]
        line = t.until(r"type=0x.*", at)[0]
        for p in patterns:
            check(re.search(p, line), f"{p} in {line}")
        return int(queue), line

    for port in range(4000, 4010):
        check(seen(eth(V4, UDP(sport=port, dport=5001)))[0] == 1, "counted: queue 1")
    for port in range(5):
        a.send(eth(V4, UDP(sport=port, dport=53)))
    check(seen(eth(V4, UDP(sport=7, dport=9)), "FDIR matched ID=0x4d")[0] == 0, "marked: queue 0")
    check(seen(eth(Dot1Q(vlan=5), V4, UDP(sport=3, dport=4)), "FDIR")[0] == 1, "flagged: queue 1")
    check(seen(eth(V6, UDP(sport=1, dport=2)))[0] == 1, "IPv6: queue 1")
    if dv:
        check(seen(eth(IP(src="192.0.2.1", dst="192.0.2.2", proto=50)))[0] == 1, "ESP: queue 1")
    queues = set()
    for sport in range(1000, 1016):
        queue, line = seen(eth(V4, TCP(sport=sport, dport=80)), "RSS hash=0x")
        data = bytes([192, 0, 2, 1, 192, 0, 2, 2]) + struct.pack(">HH", sport, 80)
        want = toeplitz(key, data)
        check(int(re.search(r"RSS hash=0x([0-9a-f]+)", line)[1], 16) == want, f"hash 0x{want:x} in {line}")
        queues.add(queue)
    check(queues == {0, 1}, f"RSS spread over {queues}")
    for number, hits in ((counted, 10), (dropped, 5)):
        at = t.say(f"flow query 0 {number} count")
        found, octets = t.until(r"hits: (\d+)", at)[1], t.until(r"bytes: (\d+)", at)[1]
        check((int(found), int(octets)) == (hits, hits * 142), f"rule {number}: {found} hits, {octets} bytes, sent {hits}")
    t.ask(f"flow destroy 0 rule {counted}", "destroyed")
    seen(eth(V4, UDP(sport=1, dport=5001)))  # without its rule it is forwarded all the same
    t.say("flow flush 0")
    check(not t.quit(), "dropped")
    print(f"rules, dv_flow_en={dv}: queue, drop, count, mark, flag, RSS by Toeplitz; refused as the driver must")


def tunnels():
    """Frames leave inside of VXLAN and of GRE; scapy takes them out. DPDK leaves lengths and the checksum to the device."""
    t = testpmd.Testpmd(["port=tap:t0", "port=tap:t1"])
    t.say("set vxlan ip-version ipv4 vni 77 udp-src 4000 udp-dst 4789 ip-src 198.51.100.1 ip-dst 198.51.100.2 "
          "eth-src 02:00:00:00:00:03 eth-dst 02:00:00:00:00:04")
    t.ask("flow create 1 egress pattern eth / ipv4 / udp / end actions vxlan_encap / end", r"Flow rule #\d+ created")
    t.say("set raw_encap 0 eth src is 02:00:00:00:00:03 dst is 02:00:00:00:00:04 / ipv4 src is 198.51.100.1 dst is 198.51.100.2 "
          "proto is 47 / gre protocol is 0x0800 / end_set")
    t.ask("flow create 1 egress pattern eth / ipv4 / tcp / end actions raw_decap / raw_encap index 0 / end", "created")
    t.start()
    a, b = testpmd.Host("t0"), testpmd.Host("t1")
    for length in (1, 47, 500, 1400, 8000):
        for inner, kind, skip in ((eth(V4, UDP(sport=1, dport=2), length=length), VXLAN, 0),
                                  (eth(V4, TCP(sport=1, dport=2), length=length), GRE, 14)):
            a.send(inner)
            got, = b.receive(testpmd.PATIENCE_S)
            outer = Ether(got)
            check(kind in outer and bytes(outer[kind].payload) == inner[skip:], f"in {kind.__name__}: {outer!r}")
            check((outer[IP].src, outer[IP].len) == ("198.51.100.1", len(got) - 14), f"outer IP: {outer!r}")
            again = IP(bytes(outer[IP]))
            del again.chksum
            check(IP(bytes(again)).chksum == outer[IP].chksum, f"its checksum: {outer!r}")
            if kind is VXLAN:
                check((outer[UDP].len, outer[UDP].dport, outer[VXLAN].vni) == (len(got) - 34, 4789, 77), f"VXLAN: {outer!r}")
    check(not t.quit(), "dropped")
    print("tunnels: frames of 43 to 8042 bytes leave inside of VXLAN and GRE")


io(1)
io(0)
pair()
rules(1)
rules(0)
tunnels()
