"""The sample crawl: some 5,000 invented pages over some 60 sites, and two real ones by their facts.

It shows every case that a crawl has: each filter failing alone and together with each other, hosts that are banned or
forbid crawling, pages never met, hostile texts. The same `now` makes the same bytes: every page draws from a random
source seeded with its own URL, and ages are relative to `now`, so that "too old" is true on the day of loading.
"""

from bot.index.sample.catalog import EXAMPLES
from bot.index.sample.load import SAMPLE_TABLES, SampleTable, load_sample, sample_tables
from bot.index.sample.seeds import SEED_URLS

__all__ = ["EXAMPLES", "SAMPLE_TABLES", "SEED_URLS", "SampleTable", "load_sample", "sample_tables"]
