"""`python -m tests.fuzz TARGET SECONDS`: one target under atheris (`pip install -e '.[fuzz]'`), its finds in `fuzzed/`.

Without arguments it lists the targets. What is found becomes a case beside the part that it was found in.
"""

from __future__ import annotations

import sys
from pathlib import Path

FINDS = Path("fuzzed")


def main() -> None:
    """Run until the time is over, or something is found."""
    import atheris

    with atheris.instrument_imports(include=["bot"]):
        from tests.fuzz.targets import TARGETS
    if len(sys.argv) != 3 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz TARGET SECONDS\ntargets: {', '.join(TARGETS)}")
    name, seconds = sys.argv[1:]
    corpus = FINDS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[name].seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=8192",
        "-len_control=0",
        f"-artifact_prefix={FINDS}/{name}-",
        str(corpus),
    ]
    atheris.Setup([sys.argv[0], *options], TARGETS[name].run)
    atheris.Fuzz()


main()
