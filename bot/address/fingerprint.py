"""FarmHash Fingerprint64, the hash that places a registered domain on a shard.

The same numbers as ClickHouse's `farmFingerprint64` for every length; `farmHash64` is another function for 33 to 96
bytes and above 256. Follows `farmhashna` of https://github.com/google/farmhash; the names of constants are its own.
"""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F

_word = struct.Struct("<Q").unpack_from
_half_word = struct.Struct("<I").unpack_from
_eight_words = struct.Struct("<8Q").unpack_from

Pair = tuple[int, int]
EightWords = tuple[int, int, int, int, int, int, int, int]


def fingerprint64(data: bytes) -> int:
    """The 64-bit fingerprint of `data`, unsigned."""
    length = len(data)
    if length <= 16:
        return _up_to_16(data, length)
    if length <= 32:
        return _17_to_32(data, length)
    if length <= 64:
        return _33_to_64(data, length)
    return _over_64(data, length)


def _rotate(value: int, shift: int) -> int:
    value &= _MASK
    return (value >> shift) | (value << (64 - shift)) & _MASK


def _shift_mix(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _mix(u: int, v: int, mul: int) -> int:
    """HashLen16 of farmhash: two words into one."""
    v &= _MASK
    a = _shift_mix(((u & _MASK) ^ v) * mul)
    return _shift_mix((v ^ a) * mul) * mul & _MASK


def _up_to_16(data: bytes, length: int) -> int:
    mul = _K2 + length * 2
    if length >= 8:
        a = _word(data)[0] + _K2
        b = _word(data, length - 8)[0]
        return _mix(_rotate(b, 37) * mul + a, (_rotate(a, 25) + b) * mul, mul)
    if length >= 4:
        return _mix(length + (_half_word(data)[0] << 3), _half_word(data, length - 4)[0], mul)
    if length:
        y = data[0] + (data[length >> 1] << 8)
        z = length + (data[-1] << 2)
        return _shift_mix((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _17_to_32(data: bytes, length: int) -> int:
    mul = _K2 + length * 2
    a = _word(data)[0] * _K1
    b = _word(data, 8)[0]
    c = _word(data, length - 8)[0] * mul
    d = _word(data, length - 16)[0] * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, mul)


def _33_to_64(data: bytes, length: int) -> int:
    mul = _K2 + length * 2
    a = _word(data)[0] * _K2
    b = _word(data, 8)[0]
    c = _word(data, length - 8)[0] * mul
    d = _word(data, length - 16)[0] * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _mix(y, a + _rotate(b + _K2, 18) + c, mul)
    e = _word(data, 16)[0] * mul
    f = _word(data, 24)[0]
    g = (y + _word(data, length - 32)[0]) * mul
    h = (z + _word(data, length - 24)[0]) * mul
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, mul)


def _weak(words: EightWords, start: int, a: int, b: int) -> Pair:
    """WeakHashLen32WithSeeds of farmhash, over four words."""
    first, second, third, fourth = words[start : start + 4]
    a += first
    b = _rotate(b + a + fourth, 21)
    ahead = a + second + third
    return (ahead + fourth) & _MASK, (b + _rotate(ahead, 44) + a) & _MASK


def _over_64(data: bytes, length: int) -> int:
    x = 81
    y = (81 * _K1 + 113) & _MASK
    z = _shift_mix(y * _K2 + 113) * _K2 & _MASK
    v: Pair = (0, 0)
    w: Pair = (0, 0)
    x = x * _K2 + _word(data)[0]
    for start in range(0, (length - 1) // 64 * 64, 64):
        x, y, z, v, w = _round(_eight_words(data, start), x, y, z, v, w, _K1, 1)
    mul = _K1 + ((z & 0xFF) << 1)
    w = (w[0] + ((length - 1) & 63), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x, y, z, v, w = _round(_eight_words(data, length - 64), x, y, z, v, w, mul, 9)
    first = _mix(v[0], w[0], mul) + _shift_mix(y) * _K0 + z
    return _mix(first, _mix(v[1], w[1], mul) + x, mul)


def _round(
    s: EightWords, x: int, y: int, z: int, v: Pair, w: Pair, mul: int, weight: int
) -> tuple[int, int, int, Pair, Pair]:
    """One block of 64 bytes. The last one has a multiplier of its own and weighs 9."""
    x = _rotate(x + y + v[0] + s[1], 37) * mul & _MASK
    y = _rotate(y + v[1] + s[6], 42) * mul & _MASK
    x ^= w[1] * weight & _MASK
    y = (y + v[0] * weight + s[5]) & _MASK
    z = _rotate(z + w[0], 33) * mul & _MASK
    v = _weak(s, 0, v[1] * mul, x + w[0])
    w = _weak(s, 4, z + w[1], y + s[2])
    return z, y, x, v, w
