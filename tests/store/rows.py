"""The rows that every store is asked for by the contract."""

from __future__ import annotations

CASES = (
    "CREATE DATABASE IF NOT EXISTS contract",
    "CREATE TABLE IF NOT EXISTS contract.cases (id UInt8, big UInt64, text Nullable(String), tags Array(String), "
    "scores Map(String, UInt16)) ENGINE = MergeTree ORDER BY id",
    "TRUNCATE TABLE contract.cases",
    "INSERT INTO contract.cases SELECT 1, 18446744073709551615, 'plain', ['a', 'b'], map('news', 900)",
    "INSERT INTO contract.cases SELECT 2, 9007199254740993, NULL, [], map()",
    "INSERT INTO contract.cases SELECT 3, 0, '日本語 🦊 \\'\\\"\\\\ <&> \\n\\t', [''], map('', 1)",
    "INSERT INTO contract.cases SELECT 4, 1, concat('a', char(0), 'b'), ['x'], map()",
    "INSERT INTO contract.cases SELECT 5, 2, unhex('61FF62'), ['y'], map()",
)
