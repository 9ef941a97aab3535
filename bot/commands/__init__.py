"""The commands that need more than a few lines; `bot.__main__` imports each when it runs."""
