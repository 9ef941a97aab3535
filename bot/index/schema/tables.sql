-- The tables of the built-in crawl, with the column names that the profile crawler3.toml reads.
-- Every table lives on the shard of its registered domain.

CREATE DATABASE IF NOT EXISTS crawler3;

-- One row is one page, newest crawl wins. The three attrs_*text/markdown columns are heavy: read on demand only.
CREATE TABLE IF NOT EXISTS crawler3.page_info_local
(
    src_root_hash UInt64,
    src_unparsed String,
    download_stamp Nullable(DateTime('UTC')),
    props_url_first_seen Nullable(DateTime('UTC')),
    download_http_code Nullable(UInt16),
    history_drop_reason Nullable(String),
    fh_dont_index Nullable(UInt8),
    ml_spam_score Nullable(UInt16),
    meta_title Nullable(String),
    meta_descriptions Array(String),
    meta_canonical Nullable(String),
    attrs_boilerpipe_text Nullable(String),
    attrs_markdown Nullable(String),
    attrs_readable_markdown Nullable(String),
    ml_categories Map(String, UInt16),
    ml_page_types Map(String, UInt16),
    ml_intent_types Map(String, UInt16),
    attrs_language Nullable(String),
    attrs_author Nullable(String),
    attrs_publish_time Nullable(DateTime('UTC')),
    attrs_original_publish_time Nullable(DateTime('UTC')),
    attrs_republished Nullable(UInt8),
    attrs_word_count_total Nullable(UInt32),
    attrs_word_count_content Nullable(UInt32),
    links_external Nullable(UInt32),
    links_internal Nullable(UInt32),
    meta_nofollow Nullable(UInt8),
    meta_noarchive Nullable(UInt8),
    download_js_rendered Nullable(UInt8),
    download_redirect_target Nullable(String),
    download_time_ms Nullable(UInt32),
    download_ttfb_ms Nullable(UInt32),
    download_size_bytes Nullable(UInt64),
    row_version UInt64 DEFAULT ifNull(toUnixTimestamp(download_stamp), 0)
)
ENGINE = ReplacingMergeTree(row_version)
PARTITION BY intDiv(src_root_hash, 200) % 100
ORDER BY (src_root_hash, src_unparsed);

-- The robots.txt of a host as it was last fetched. http_code NULL: the host did not answer.
CREATE TABLE IF NOT EXISTS crawler3.robots_txt_local
(
    root_hash UInt64,
    host String,
    fetched_at Nullable(DateTime('UTC')),
    http_code Nullable(UInt16),
    body Nullable(String),
    row_version UInt64 DEFAULT ifNull(toUnixTimestamp(fetched_at), 0)
)
ENGINE = ReplacingMergeTree(row_version)
ORDER BY (root_hash, host);

-- A host's standing. No row: nothing is held against it.
CREATE TABLE IF NOT EXISTS crawler3.host_bans_local
(
    root_hash UInt64,
    host String,
    dont_index Nullable(UInt8),
    spam_score Nullable(UInt16),
    reason Nullable(String),
    updated_at DateTime('UTC')
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (root_hash, host);

-- The frontier: every URL that was ever met, crawled or not.
CREATE TABLE IF NOT EXISTS crawler3.seen_urls_local
(
    src_root_hash UInt64,
    src_unparsed String,
    first_seen Nullable(DateTime('UTC')),
    last_seen Nullable(DateTime('UTC')),
    source Nullable(String),
    row_version UInt64 DEFAULT ifNull(toUnixTimestamp(last_seen), 0)
)
ENGINE = ReplacingMergeTree(row_version)
ORDER BY (src_root_hash, src_unparsed);
