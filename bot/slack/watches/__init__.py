"""Watches: a page that is inspected on a schedule, and a thread that is told what changes."""
