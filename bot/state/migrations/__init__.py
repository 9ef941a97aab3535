"""The history of the schema, run by `bot.state.migrate`."""
