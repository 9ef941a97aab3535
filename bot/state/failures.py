"""What a database driver raised, as a sentence without SQL, parameters or a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from socket import gaierror

from sqlalchemy import exc

from bot.errors import BadSetting, StoreUnavailable

VARIABLE = "CRAWLER_INSPECTOR_DATABASE_URL"
EXAMPLES = "sqlite:////var/lib/inspector/state.db or postgresql://inspector:PASSWORD@db.example/inspector"

# SQLite's result codes (https://sqlite.org/rescode.html; an extended code starts with its primary one) and
# Postgres's SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html; two letters are the class).
CODES: tuple[tuple[str, str], ...] = (
    ("SQLITE_BUSY", "another process keeps it locked"),
    ("SQLITE_LOCKED", "another process keeps it locked"),
    ("SQLITE_CANTOPEN", "the file cannot be opened; its folder must be writable"),
    ("SQLITE_NOTADB", "the file is not a SQLite database"),
    ("SQLITE_CORRUPT", "the file is damaged"),
    ("SQLITE_READONLY", "the file or its folder is not writable"),
    ("SQLITE_PERM", "the file or its folder is not writable"),
    ("SQLITE_FULL", "the disk is full"),
    ("SQLITE_IOERR", "the disk reports an error"),
    ("28", "the user or the password is wrong"),
    ("3D000", "there is no database of that name"),
    ("42501", "the user may not create tables there"),
    ("3F000", "the user may not create tables there"),  # nor even look into the schema
    ("53100", "the disk is full"),
    ("53300", "it has no free connections"),
    ("55P03", "another process keeps it locked"),
    ("57014", "it took too long"),
    ("57P", "it is starting or stopping"),
    ("25006", "it is read-only"),
    ("08", "the connection broke"),
)

# The first row that fits is the reason: narrower classes stand above wider ones.
CLASSES: tuple[tuple[type[BaseException], str], ...] = (
    (gaierror, "its name is not known"),
    (ConnectionRefusedError, "the connection was refused"),
    (TimeoutError, "it took too long"),
    (exc.TimeoutError, "every connection is busy"),
    (PermissionError, "the file or its folder is not writable"),
    (IsADirectoryError, "it is a folder, not a file"),
    (FileExistsError, "a folder of its path is a file"),
    (NotADirectoryError, "a folder of its path is a file"),
    (FileNotFoundError, "the file cannot be made; its folder must be writable"),
    (ConnectionError, "the connection broke"),
    (OSError, "it cannot be reached"),
    (exc.InterfaceError, "the connection broke"),
)

# What is the database's trouble, rather than a mistake in our statements.
TROUBLE = (exc.DBAPIError, exc.TimeoutError, OSError, TimeoutError)


def reason(error: BaseException) -> str | None:
    """Why, in words; None for an error that is no trouble of the database's, which is a mistake of ours."""
    chain = _chain(error)
    codes = [str(code) for item in chain if (code := _code(item))]
    by_code = (words for code in codes for start, words in CODES if code.startswith(start))
    by_class = (words for kind, words in CLASSES if any(isinstance(item, kind) for item in chain))
    return next(by_code, None) or next(by_class, None)


def _chain(error: BaseException | None) -> list[BaseException]:
    """The error and those that it came from, outermost first."""
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = getattr(error, "orig", None) or error.__cause__ or error.__context__
    return chain


def _code(error: BaseException) -> str | None:
    return getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)


@contextmanager
def opening(shown: str) -> Iterator[None]:
    """Turns trouble into BadSetting about the database `shown`, an address without its password."""
    try:
        yield
    except TROUBLE as error:
        why = reason(error) or f"it answered {type(error).__name__}"
        raise BadSetting(f"{VARIABLE}: the database {shown} cannot be used: {why}. Example: {EXAMPLES}.") from error


@contextmanager
def answering() -> Iterator[None]:
    """Turns trouble into StoreUnavailable; a mistake in a statement of ours stays what it is."""
    try:
        yield
    except TROUBLE as error:
        if (why := reason(error)) is None:
            raise
        raise StoreUnavailable(f"The bot's own database did not answer: {why}; try again in a moment.") from error
