"""The workspace as a page in the browser, on loopback: what the demo opens. Nothing of it runs in `serve`."""

from bot.workspace.page.menu import Command, Menu, Prompt, Shortcut
from bot.workspace.page.site import serving

__all__ = ["Command", "Menu", "Prompt", "Shortcut", "serving"]
