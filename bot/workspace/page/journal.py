"""Which call made which message: the workspace records both, one right after the other, and here they are joined."""

from __future__ import annotations

from bot.workspace import Call, Change, Message, Workspace

Place = tuple[str, str]  # channel, ts
MADE = ("message", "message_changed")


class Journal:
    """Listens from its making on. A message that was edited has several calls."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._calls: dict[Place, list[int]] = {}
        self._last: Message | None = None  # whose call is not recorded yet
        workspace.state.observers.append(self._note)

    def calls_of(self, message: Message) -> list[int]:
        """The positions in `workspace.calls` of the requests that made a message, the oldest first."""
        return self._calls.get((message.channel, message.ts), [])

    def close(self) -> None:
        """Stop listening."""
        self._workspace.state.observers.remove(self._note)

    def _note(self, change: Change) -> None:
        calls = self._workspace.calls
        if isinstance(change.value, Message) and change.kind in MADE:
            self._last = change.value
            # The answer to a command is recorded before the message that it makes; every other call after it.
            if change.value.via == "ack" and calls:
                self._join(calls[-1])
        elif isinstance(change.value, Call):
            self._join(change.value)

    def _join(self, call: Call) -> None:
        made = self._last
        if made is not None and call.ok and made.payload == call.payload:
            self._calls.setdefault((made.channel, made.ts), []).append(len(self._workspace.calls) - 1)
            self._last = None
