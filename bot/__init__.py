"""Crawler Inspector: says in Slack whether a page is in the crawl index, and which rule stopped it."""
