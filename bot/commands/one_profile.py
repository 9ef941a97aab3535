"""`--profile NAME`: which of several crawl indexes a command asks; the default one where none is named."""

from __future__ import annotations

from bot.index.profile import files_of
from bot.settings import Settings, load_settings


def settings_for(profile: str | None) -> Settings:
    """The settings of the environment, with that profile alone. Raises BadInput where there is none of that name."""
    settings = load_settings()
    return settings.model_copy(update={"profiles": tuple(files_of(settings.profiles, profile))})
