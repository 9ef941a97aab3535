"""What the bot itself remembers: threads, channel settings, recent lookups, answers, installations, seen events.

`bot.state.state.State` is the door; `bot.state.records` holds the values that come out of it. Nothing here imports
SQLAlchemy until `bot.state.state` is imported, so that commands without a database start fast.
"""
