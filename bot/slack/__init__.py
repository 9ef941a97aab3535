"""Slack: requests come in through `intake`, `register` says who listens, and only `gateway` calls Slack."""
