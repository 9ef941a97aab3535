"""The public suffix list that the settings name: every command makes its keys by it."""

from __future__ import annotations

from bot.address.suffixes import use_suffix_list
from bot.errors import BadSetting
from bot.settings import load_key_settings

WHERE = "take the file https://publicsuffix.org/list/public_suffix_list.dat"


def use_configured_list() -> None:
    """Make keys by the list in CRAWLER_INSPECTOR_SUFFIX_LIST from now on, where one is set. Raises BadSetting."""
    file = load_key_settings().suffix_list
    if file is None:
        return
    try:
        use_suffix_list(file)
    except OSError as error:
        reason = f"{str(file)!r} cannot be read ({error.strerror})"
    except UnicodeDecodeError:
        reason = f"{str(file)!r} is not UTF-8 text; {WHERE}"
    except ValueError as error:
        reason = f"{str(file)!r} is no public suffix list, as {error}; {WHERE}"
    else:
        return
    raise BadSetting(f"CRAWLER_INSPECTOR_SUFFIX_LIST cannot be used: {reason}.")
