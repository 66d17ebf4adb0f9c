#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Independent peers: what the service puts on the wire is decrypted by scapy and by tshark, and what scapy encrypts is
decrypted by the service. IPv4 and IPv6, AES 128 and 256, UDP payloads of every length from 0 to 64 and long ones; what
IP carries besides (DSCP, TTL, identification, options, flow label) must survive to the bit. Forged, foreign and
fragmented packets must be dropped and counted by reason.

The NIC is tests/peer_driver: captures in, captures and counters out.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest


def skip(why):
    print("SKIP: " + why, file=sys.stderr)
    sys.exit(77)


try:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from scapy.config import conf
    from scapy.layers.inet import IP, UDP, IPOption_NOP, IPOption_RR, IPOption_Router_Alert, fragment
    from scapy.layers.inet6 import IPv6, IPv6ExtHdrFragment
    from scapy.layers.ipsec import ESP, SecurityAssociation
    from scapy.layers.l2 import Ether
    from scapy.packet import Raw
    from scapy.utils import PcapReader, checksum, wrpcap
except ImportError as e:
    skip("python3-scapy and python3-cryptography are needed: %s" % e)

if not shutil.which("tshark"):
    skip("tshark is needed")

DRIVER = [os.path.join(os.environ.get("MLXO_BUILD", "build"), "tests", "peer_driver")]
if os.environ.get("MLXO_TEST_DEVICE") == "mlx5":
    DRIVER = [os.environ["MLXO_REAL_TOOL"], "model", "run", "model", "model", "--", *DRIVER]
LENGTHS = list(range(65)) + [1420, 8950]
ESP_PROTO = 50


class Peer:
    """One SA: its addresses, and its key as scapy and tshark want it."""

    def __init__(self, n, src, dst, key_len):
        self.src, self.dst = src, dst
        self.v6 = ":" in src
        self.spi, self.reqid, self.oseq = 0x1000 + n, n + 1, 0
        self.key = bytes((16 * n + i) & 0xFF for i in range(key_len + 4))

    def scapy(self):
        return SecurityAssociation(ESP, spi=self.spi, crypt_algo="AES-GCM", crypt_key=self.key)

    def line(self):
        return "%s %s %x %u %s %u\n" % (self.src, self.dst, self.spi, self.reqid, self.key.hex(),
                                       self.oseq)

    def wireshark(self):
        return '"%s","%s","%s","0x%08x","%s","0x%s","NULL",""\n' % (
            "IPv6" if self.v6 else "IPv4", self.src, self.dst, self.spi,
            "AES-GCM with 16 octet ICV [RFC4106]", self.key.hex())

    def seal(self, seq, plain):
        """ESP packet around `plain` (payload, padding, pad length, next header), by another AES-GCM than scapy's."""
        head, iv = struct.pack(">II", self.spi, seq), struct.pack(">Q", seq)
        return head + iv + AESGCM(self.key[:-4]).encrypt(self.key[-4:] + iv, plain, head)


PEERS = [Peer(0, "192.0.2.1", "192.0.2.2", 16), Peer(1, "192.0.2.3", "192.0.2.4", 32),
         Peer(2, "2001:db8::1", "2001:db8::2", 16), Peer(3, "2001:db8::3", "2001:db8::4", 32)]
ETHER = {"dst": "02:00:00:00:00:02", "src": "02:00:00:00:00:01"}


def options(n):
    """IPv4 options for every fourth packet, of different lengths."""
    return [[], [], [], [[IPOption_Router_Alert()], [IPOption_NOP()] * 4,
                         [IPOption_RR(length=7, routers=["0.0.0.0"]), IPOption_NOP()]][n % 3]][n % 4]


def clear_packet(peer, n, length):
    """IP packet with its own DSCP, TTL, identification …, all from n."""
    udp = UDP(sport=40000 + n, dport=50000) / Raw(bytes((n + i) & 0xFF for i in range(length)))
    if peer.v6:
        return IPv6(src=peer.src, dst=peer.dst, tc=n * 4 & 0xFF, fl=n * 4099 & 0xFFFFF,
                    hlim=n % 255 + 1) / udp
    return IP(src=peer.src, dst=peer.dst, tos=n * 4 & 0xFF, id=n * 257 & 0xFFFF, ttl=n % 255 + 1,
              flags="DF" if n % 2 else 0, options=options(n)) / udp


def frame(packet):
    return bytes(Ether(type=0x86DD if packet.version == 6 else 0x0800, **ETHER)) + bytes(packet)


def clear_frames():
    return [(peer, frame(clear_packet(peer, n, length)))
            for peer in PEERS for n, length in enumerate(LENGTHS)]


def read_pcap(path):
    with PcapReader(path) as r:
        return [bytes(p) for p in r]


def header_len(ip):
    return 40 if ip[0] >> 4 == 6 else (ip[0] & 15) * 4


class Peers(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="mlxo-peers-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def drive(self, way, frames, *more, peers=None):
        """Frames through the NIC: the frames that came out, and its counters."""
        wrpcap(self.path("in"), [Ether(f) for f in frames] or [Ether(type=0x88B5, **ETHER)])
        done = subprocess.run([*DRIVER, way, self.path("in"), self.path("out"), *more], check=False,
                              input="".join(p.line() for p in peers or PEERS), text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_pcap(self.path("out")), json.loads(done.stdout.splitlines()[-1])

    # -- from the service to its peers ---------------------------------------------------------------------

    def check_wire(self, clear, wire, last):
        """Header and length of one protected packet against the clear one."""
        hl = header_len(clear)
        seq, iv = struct.unpack(">IQ", wire[hl + 4:hl + 16])
        body = len(clear) - hl + 2
        self.assertEqual(len(wire), hl + 16 + (body + 3) // 4 * 4 + 16)
        self.assertEqual(seq, last["seq"] + 1)
        self.assertNotIn(iv, last["ivs"])
        last["seq"] = seq
        last["ivs"].add(iv)
        want = bytearray(clear[:hl])
        if hl == 40 and clear[0] >> 4 == 6:
            want[4:6] = struct.pack(">H", len(wire) - hl)
            want[6] = ESP_PROTO
        else:
            want[2:4] = struct.pack(">H", len(wire))
            want[9] = ESP_PROTO
            want[10:12] = b"\0\0"
            want[10:12] = struct.pack(">H", checksum(bytes(want)))
        self.assertEqual(wire[:hl], bytes(want))

    def protect(self, *more, frames=None):
        sent = clear_frames()
        wire, counters = self.drive("tx", [f for _, f in frames or sent], *more)
        self.assertEqual(len(wire), len(sent))
        self.assertEqual(counters["tx_drop_no_state"], 0)
        for peer in PEERS:
            self.assertEqual(counters["sa"]["%x" % peer.spi]["packets"], len(LENGTHS))
            self.assertEqual(counters["sa"]["%x" % peer.spi]["policy"], len(LENGTHS))
        return sent, wire

    def check_decrypted_by_scapy(self, sent, wire):
        sas = {p: p.scapy() for p in PEERS}
        last = {p: {"seq": 0, "ivs": set()} for p in PEERS}
        for (peer, f), w in zip(sent, wire):
            self.assertEqual(w[:14], f[:14])
            self.check_wire(f[14:], w[14:], last[peer])
            packet = sas[peer].decrypt((IPv6 if peer.v6 else IP)(w[14:]))
            self.assertEqual(bytes(packet), f[14:])

    def test_scapy_decrypts_what_the_service_sends(self):
        self.check_decrypted_by_scapy(*self.protect())

    def test_scapy_decrypts_checksums_that_the_device_filled(self):
        """The same frames without any checksum: the device fills them before it encrypts."""
        bare = []
        for peer, f in clear_frames():
            b, at = bytearray(f), 14 + header_len(f[14:])
            b[at + 6:at + 8] = b"\0\0"
            if not peer.v6:
                b[24:26] = b"\0\0"
            bare.append((peer, bytes(b)))
        self.check_decrypted_by_scapy(*self.protect("csum", frames=bare))

    def tshark(self, path, *args):
        home = self.path("home")
        os.makedirs(home, exist_ok=True)
        env = {"PATH": os.environ["PATH"], "HOME": home, "WIRESHARK_CONFIG_DIR": home, "LC_ALL": "C"}
        with open(os.path.join(home, "esp_sa"), "w", encoding="ascii") as f:
            f.writelines(p.wireshark() for p in PEERS)
        os.chmod(os.path.join(home, "esp_sa"), 0o600)
        done = subprocess.run(["tshark", "-n", "-r", path, "-o", "esp.enable_encryption_decode:TRUE",
                               "-o", "esp.enable_authentication_check:TRUE",
                               "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
                               "-T", "fields",
                               *[w for a in args for w in ("-e", a)]],
                              env=env, text=True, capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def test_tshark_decrypts_what_the_service_sends(self):
        sent, wire = self.protect()
        rows = self.tshark(self.path("out"), "esp.spi", "esp.sequence", "esp.icv_good", "udp.srcport",
                           "udp.payload", "udp.checksum.status", "ip.checksum.status")
        self.assertEqual(len(rows), len(wire))
        for i, ((peer, f), row) in enumerate(zip(sent, rows)):
            at = 14 + header_len(f[14:])
            spi, seq, good, sport, payload, udp_sum, ip_sum = row
            self.assertEqual(int(spi, 16), peer.spi)
            self.assertEqual(int(seq), i % len(LENGTHS) + 1)
            self.assertIn(good, ("1", "True"))
            self.assertEqual(int(sport), struct.unpack(">H", f[at:at + 2])[0])
            self.assertEqual(payload, f[at + 8:].hex())
            self.assertEqual(udp_sum, "1")  # good
            self.assertEqual(ip_sum, "" if peer.v6 else "1")

    def test_tshark_sees_a_forged_icv(self):
        """The check above can fail: one bit of the ICV turned, and tshark says so."""
        wire, _ = self.drive("tx", [clear_frames()[0][1]])
        forged = wire[0][:-1] + bytes([wire[0][-1] ^ 1])
        wrpcap(self.path("forged"), [Ether(forged)])
        row = self.tshark(self.path("forged"), "esp.icv_good", "esp.icv_bad")[0]
        self.assertIn(row, (["0", "1"], ["False", "True"]))

    def test_numbers_go_on_and_never_wrap(self):
        """An SA that starts behind 0xfffffffc has three numbers left; then it is silent, because IVs would repeat."""
        peer = Peer(0, "192.0.2.1", "192.0.2.2", 16)
        peer.oseq = 0xFFFFFFFC
        clear = [frame(clear_packet(peer, n, 40)) for n in range(6)]
        wire, _ = self.drive("tx", clear, peers=[peer])
        seqs = [struct.unpack(">IQ", w[14 + header_len(w[14:]) + 4:][:12]) for w in wire]
        self.assertEqual(seqs, [(n, n) for n in range(0xFFFFFFFD, 0x100000000)])
        sa = peer.scapy()
        for f, w in zip(clear, wire):
            self.assertEqual(bytes(sa.decrypt(IP(w[14:]))), f[14:])

    def test_fragments_are_not_sent(self):
        big = [clear_packet(PEERS[0], 8, 1000), clear_packet(PEERS[2], 8, 1000)]
        v4 = [frame(p) for p in fragment(big[0], 500)]
        v6 = frame(IPv6(src=PEERS[2].src, dst=PEERS[2].dst, nh=44) /
                   IPv6ExtHdrFragment(nh=17, m=1, id=7) / Raw(bytes(big[1])[40:548]))
        wire, counters = self.drive("tx", [*v4, v6])
        self.assertEqual(wire, [])
        self.assertEqual(counters["sa"]["1000"]["fragment"], len(v4))
        self.assertEqual(counters["sa"]["1002"]["fragment"], 1)
        self.assertEqual(counters["sa"]["1000"]["packets"], 0)

    def test_the_usable_mtu_is_the_largest_that_fits(self):
        for peer in PEERS:
            usable = self.drive("tx", [])[1]["sa"]["%x" % peer.spi]["usable_mtu"]
            fits = [frame(clear_packet(peer, 8, usable - (48 if peer.v6 else 28) + more))
                    for more in (-1, 0, 1)]
            wire, counters = self.drive("tx", fits)
            self.assertEqual(len(wire), 2)
            self.assertEqual(counters["sent"], 3)

    # -- from peers to the service -------------------------------------------------------------------------

    def test_the_service_decrypts_what_scapy_sends(self):
        clear, sas = clear_frames(), {p: p.scapy() for p in PEERS}
        wire = [frame(sas[p].encrypt((IPv6 if p.v6 else IP)(f[14:]))) for p, f in clear]
        got, counters = self.drive("rx", wire)
        self.assertEqual(len(got), len(clear))
        for (_, want), f in zip(clear, got):
            self.assertEqual(f, want)
        for peer in PEERS:
            sa = counters["sa"]["%x" % peer.spi]
            self.assertEqual(sa["packets"], len(LENGTHS))
            self.assertEqual(sa["auth"] + sa["trailer"] + sa["selector"] + sa["unprotected"], 0)

    def sealed(self, peer, n=8, length=40, seq=1):
        """Clear frame and its protected one."""
        p = clear_packet(peer, n, length)
        sa = peer.scapy()
        return frame(p), frame(sa.encrypt((IPv6 if peer.v6 else IP)(bytes(p)), seq_num=seq))

    def test_every_flipped_bit_fails_the_icv(self):
        """From the sequence number to the last byte. The SPI before it: see the next test."""
        for peer in PEERS:
            _, good = self.sealed(peer)
            at, wire = 14 + header_len(good[14:]), []
            for bit in range(8 * (at + 4), 8 * len(good)):
                b = bytearray(good)
                b[bit // 8] ^= 0x80 >> bit % 8
                wire.append(bytes(b))
            got, counters = self.drive("rx", [*wire, good])
            self.assertEqual(len(got), 1)
            self.assertEqual(counters["sa"]["%x" % peer.spi]["auth"], len(wire))
            self.assertEqual(counters["sa"]["%x" % peer.spi]["packets"], len(wire) + 1)

    def test_a_foreign_spi_has_no_sa(self):
        for peer in PEERS:
            clear, good = self.sealed(peer)
            at, wire = 14 + header_len(good[14:]), []
            for bit in range(32):
                b = bytearray(good)
                b[at + bit // 8] ^= 0x80 >> bit % 8
                wire.append(bytes(b))
            got, counters = self.drive("rx", [*wire, good], peers=[peer])
            self.assertEqual(got, [clear])
            self.assertEqual(counters["rx_drop_no_sa"], 32)

    def test_a_foreign_destination_has_no_sa(self):
        moved = Peer(0, "192.0.2.1", "192.0.2.9", 16)
        got, counters = self.drive("rx", [self.sealed(moved)[1]])
        self.assertEqual(got, [])
        self.assertEqual(counters["rx_drop_no_sa"], 1)

    def test_the_key_of_another_sa_fails_the_icv(self):
        other = Peer(0, "192.0.2.1", "192.0.2.2", 16)
        other.key = bytes([other.key[0] ^ 1]) + other.key[1:]
        got, counters = self.drive("rx", [self.sealed(other)[1]])
        self.assertEqual(got, [])
        self.assertEqual(counters["sa"]["1000"]["auth"], 1)

    def test_fragments_are_not_taken(self):
        """Fragments of IPv6 do not show the tables that they hold ESP: they break the policy as clear packets do."""
        _, v4 = self.sealed(PEERS[0], length=400)
        _, v6 = self.sealed(PEERS[2], length=400)
        parts = [frame(p) for p in fragment(IP(v4[14:]), 200)]
        inner = v6[54:]
        for offset, more, piece in ((0, 1, inner[:200]), (25, 0, inner[200:])):
            parts.append(frame(IPv6(src=PEERS[2].src, dst=PEERS[2].dst, nh=44) /
                               IPv6ExtHdrFragment(nh=ESP_PROTO, offset=offset, m=more, id=7) /
                               Raw(piece)))
        got, counters = self.drive("rx", parts)
        self.assertEqual(got, [])
        self.assertEqual(counters["rx_drop_fragment"], len(parts) - 2)
        self.assertEqual(counters["sa"]["1002"]["unprotected"], 2)

    def test_bad_trailers_are_dropped_and_counted(self):
        """Sealed with the right key, so the ICV is good, but the padding is said to be longer than what there is."""
        peer = PEERS[0]
        udp = bytes(clear_packet(peer, 8, 8))[20:]
        wire = []
        for seq, end in enumerate((b"\1\2\xff\x11", b"\1\2\x13\x11", b"\1\2\x15\x11"), 1):
            esp = peer.seal(seq, udp + end)
            wire.append(frame(IP(src=peer.src, dst=peer.dst, proto=ESP_PROTO) / Raw(esp)))
        good = peer.seal(9, udp + b"\1\2\x02\x11")
        wire.append(frame(IP(src=peer.src, dst=peer.dst, proto=ESP_PROTO) / Raw(good)))
        got, counters = self.drive("rx", wire)
        self.assertEqual([f[34:] for f in got], [udp])
        self.assertEqual(counters["sa"]["1000"]["trailer"], 3)
        self.assertEqual(counters["sa"]["1000"]["auth"], 0)

    def test_clear_packets_of_protected_selectors_are_dropped(self):
        clear = clear_frames()
        other = frame(IP(src="198.51.100.1", dst="198.51.100.2") / UDP(sport=1, dport=2) / b"hello")
        got, counters = self.drive("rx", [*[f for _, f in clear], other])
        self.assertEqual(got, [other])
        for peer in PEERS:
            self.assertEqual(counters["sa"]["%x" % peer.spi]["unprotected"], len(LENGTHS))


if __name__ == "__main__":
    conf.verb = 0
    unittest.main(verbosity=2)
