"""Report → Slack blocks, plain text, terminal, JSON. Slack's numbers stand in `limits`, ids of buttons in `actions`."""
