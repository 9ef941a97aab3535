"""The whole over each store: a test that is marked so runs on the embedded engine and on the test cluster."""

from __future__ import annotations

import pytest

EMBEDDED = "embedded"
# name → the fixtures of a store and of its profile
STORES = {EMBEDDED: ("store", "profile"), "cluster": ("cluster_store", "cluster_profile")}

# For tests that use the fixture `inspector`, or another that rests on it.
on_both_stores = pytest.mark.parametrize("inspector", STORES, indirect=True)
