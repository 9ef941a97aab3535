-- URL ↔ key ↔ root hash in SQL, over canonical URLs: the same keys as bot/address makes, from the same suffix rules.
-- There is no lambda in them on purpose: ClickHouse folds no lambda into a constant, and without a constant a lookup by
-- (src_root_hash, src_unparsed) IN ((…)) reads the whole table instead of one granule.

-- The key's URL; text that is no key comes back as it is.
CREATE OR REPLACE FUNCTION getAhrefsURLFromUnparsed AS (unparsed) -> if(
    match(unparsed, '^[^!/]+![^/]*,/.* [hs][0-9]+$'),
    concat(
        if(extract(unparsed, ' ([hs])[0-9]+$') = 's', 'https://', 'http://'),
        replaceAll(replaceAll(arrayStringConcat(arrayReverse(splitByChar(',',
            replaceOne(replaceRegexpOne(extract(unparsed, '^([^/]*),/'), '!$', ''), '!', ','))), '.'), '%2C', ','), '%21', '!'),
        if(match(unparsed, ' (?:s443|h80)$'), '', concat(':', extract(unparsed, ' [hs]([0-9]+)$'))),
        extract(unparsed, '(/.*) [hs][0-9]+$')
    ),
    unparsed
);

-- The hash that decides the shard: of the key up to and with its "!".
CREATE OR REPLACE FUNCTION getAhrefsRootHashFromUnparsed AS (unparsed) ->
    farmFingerprint64(extract(unparsed, '^[^!]*!'));

-- The URL's host as it stands in a key: uk,co,example,www. The first pattern finds an IP address, which stays whole, the
-- second any other host; one of the two is always empty.
CREATE OR REPLACE FUNCTION crawlerKeyHostFromURL AS (url) -> concat(
    extract(url, '^https?://(\\[[^/]*\\]|[0-9.]+)(?::[0-9]+)?/'),
    arrayStringConcat(arrayReverse(splitByChar('.', replaceAll(replaceAll(
        extract(url, '^https?://([^/:]*[^/:0-9.][^/:]*)(?::[0-9]+)?/'), '!', '%21'), ',', '%2C'))), ',')
);

-- How many labels the public suffix of such a host has, by the longest suffix that has a rule; 1 where none has one.
CREATE OR REPLACE FUNCTION crawlerSuffixLabels AS (host) -> coalesce(
    joinGetOrNull('crawler3.icann_rules', 'labels', substringIndex(host, ',', 5)),
    joinGetOrNull('crawler3.icann_rules', 'labels', substringIndex(host, ',', 4)),
    joinGetOrNull('crawler3.icann_rules', 'labels', substringIndex(host, ',', 3)),
    joinGetOrNull('crawler3.icann_rules', 'labels', substringIndex(host, ',', 2)),
    joinGetOrNull('crawler3.icann_rules', 'labels', substringIndex(host, ',', 1)),
    1
);

-- The key ("unparsed", without the service part) of a canonical URL.
CREATE OR REPLACE FUNCTION getAhrefsUnparsedNoserviceFromURL AS (url) -> concat(
    replaceRegexpOne(
        crawlerKeyHostFromURL(url),
        concat('^([^,]+(?:,[^,]+){0,', toString(crawlerSuffixLabels(crawlerKeyHostFromURL(url))), '}),?'), '\\1!'),
    ',',
    replaceRegexpOne(url, '^https?://[^/]*', ''),
    if(startsWith(url, 'https:'), ' s', ' h'),
    multiIf(
        match(url, '^https?://[^/]*:[0-9]+/'), extract(url, '^https?://[^/]*:([0-9]+)/'),
        startsWith(url, 'https:'), '443', '80')
);
