"""Every command as a method. Generated from the declarations by `npm run docs`; changes are lost."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, cast

from .protocol import (
    Attachment,
    BashResult,
    BranchResult,
    ClearQueueResult,
    CloneResult,
    CompactionResult,
    CycleModelResult,
    CycleThinkingLevelResult,
    ExportHtmlResult,
    GetAvailableCommandsResult,
    GetAvailableModelsResult,
    GetAvailableThinkingLevelsResult,
    GetBranchMessagesResult,
    GetCommandsResult,
    GetEntriesResult,
    GetLastAssistantTextResult,
    GetLoginProvidersResult,
    GetMessagesPageResult,
    GetMessagesResult,
    GetSubagentMessagesResult,
    GetSubagentsResult,
    GetTreeResult,
    IncomingImage,
    InterruptMode,
    LoginResult,
    Model,
    NewSessionResult,
    QueueMode,
    SessionState,
    SessionStats,
    SetEventFilterResult,
    SetHostToolsResult,
    SetSubagentSubscriptionResult,
    SetTodosResult,
    SwitchSessionResult,
    ThinkingLevel,
    TodoPhase,
)


class Commands:
    def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        raise NotImplementedError

    def prompt(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. While a run is going, `streamingBehavior` says how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that wait in the queue since an aborted run, or since the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id."""
        self.call("prompt", {"message": message, "images": images, "attachments": attachments, "streamingBehavior": streaming_behavior}, timeout=timeout)

    def steer(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Queue a message that interrupts the run: it is given to the model at the next opportunity that the interrupt mode allows. Without a run it waits for the next prompt."""
        self.call("steer", {"message": message, "images": images, "attachments": attachments}, timeout=timeout)

    def follow_up(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Queue a message for when the run would otherwise be over, also when it ends in an error. Without a run it waits for the next one."""
        self.call("follow_up", {"message": message, "images": images, "attachments": attachments}, timeout=timeout)

    def abort(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt."""
        self.call("abort", {}, timeout=timeout)

    def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop the current run and start another. Answered between the old run’s agent_end and the new run’s agent_start."""
        self.call("abort_and_prompt", {"message": message, "images": images, "attachments": attachments}, timeout=timeout)

    def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "NewSessionResult":
        """Start a fresh conversation. A run that is going ends first, with its last events."""
        return cast("NewSessionResult", self.call("new_session", {"parentSession": parent_session}, timeout=timeout))

    def get_state(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "SessionState":
        """The state of the session at this moment."""
        return cast("SessionState", self.call("get_state", {}, timeout=timeout))

    def get_commands(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetCommandsResult":
        """The words with a slash that a prompt may begin with: commands of extensions, prompt templates and skills."""
        return cast("GetCommandsResult", self.call("get_commands", {}, timeout=timeout))

    def get_messages(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetMessagesResult":
        """All messages of the conversation as it stands."""
        return cast("GetMessagesResult", self.call("get_messages", {}, timeout=timeout))

    def get_last_assistant_text(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetLastAssistantTextResult":
        """The text of the newest answer, or null when there is none."""
        return cast("GetLastAssistantTextResult", self.call("get_last_assistant_text", {}, timeout=timeout))

    def switch_session(
        self,
        session_path: str,
        *,
        timeout: Optional[float] = None,
    ) -> "SwitchSessionResult":
        """Go on with another session: a path, or the beginning of its id. A run that is going ends first, with its last events."""
        return cast("SwitchSessionResult", self.call("switch_session", {"sessionPath": session_path}, timeout=timeout))

    def branch(
        self,
        entry_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "BranchResult":
        """Start a new session with everything that was said before one of the user’s messages, and return its text."""
        return cast("BranchResult", self.call("branch", {"entryId": entry_id}, timeout=timeout))

    def clone(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CloneResult":
        """Go on in a new session that holds the conversation as it stands; the old one stays as it is."""
        return cast("CloneResult", self.call("clone", {}, timeout=timeout))

    def get_branch_messages(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetBranchMessagesResult":
        """The user’s messages that a new branch could begin before, on all branches."""
        return cast("GetBranchMessagesResult", self.call("get_branch_messages", {}, timeout=timeout))

    def get_entries(
        self,
        *,
        since: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "GetEntriesResult":
        """The entries of the session log in the order they were written; those after `since` when it is given."""
        return cast("GetEntriesResult", self.call("get_entries", {"since": since}, timeout=timeout))

    def get_tree(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetTreeResult":
        """The entries of the session log as a tree, and where the conversation stands."""
        return cast("GetTreeResult", self.call("get_tree", {}, timeout=timeout))

    def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "ExportHtmlResult":
        """Write the session as one self-contained page. Without a path it goes into the working directory, never over a file."""
        return cast("ExportHtmlResult", self.call("export_html", {"outputPath": output_path}, timeout=timeout))

    def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "Model":
        """Switch to a model. The session remembers it; a request that is under way finishes with the old one."""
        return cast("Model", self.call("set_model", {"provider": provider, "modelId": model_id}, timeout=timeout))

    def cycle_model(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CycleModelResult":
        """Switch to the next model: of those named with --models, otherwise of all that can be used. `null` when there is no other."""
        return cast("CycleModelResult", self.call("cycle_model", {}, timeout=timeout))

    def get_available_models(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableModelsResult":
        """The models that can be used now: those with credentials, and the offline one."""
        return cast("GetAvailableModelsResult", self.call("get_available_models", {}, timeout=timeout))

    def set_thinking_level(
        self,
        level: "ThinkingLevel",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """How hard the model thinks. A level that the model lacks becomes the nearest one it has."""
        self.call("set_thinking_level", {"level": level}, timeout=timeout)

    def cycle_thinking_level(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CycleThinkingLevelResult":
        """The next level that the model understands, round and round. `null` when it does not think."""
        return cast("CycleThinkingLevelResult", self.call("cycle_thinking_level", {}, timeout=timeout))

    def get_available_thinking_levels(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableThinkingLevelsResult":
        """The levels that the current model understands."""
        return cast("GetAvailableThinkingLevelsResult", self.call("get_available_thinking_levels", {}, timeout=timeout))

    def set_steering_mode(
        self,
        mode: "QueueMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Give the model one steering message a turn, or all that wait at once."""
        self.call("set_steering_mode", {"mode": mode}, timeout=timeout)

    def set_follow_up_mode(
        self,
        mode: "QueueMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Give the model one follow-up at a time, or all that wait at once."""
        self.call("set_follow_up_mode", {"mode": mode}, timeout=timeout)

    def set_interrupt_mode(
        self,
        mode: "InterruptMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """`immediate`: steering is looked for between the tool calls of a turn, and the calls that remain are skipped. `wait`: only after the turn."""
        self.call("set_interrupt_mode", {"mode": mode}, timeout=timeout)

    def clear_queue(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "ClearQueueResult":
        """Take back every queued message and return the texts."""
        return cast("ClearQueueResult", self.call("clear_queue", {}, timeout=timeout))

    def compact(
        self,
        *,
        custom_instructions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "CompactionResult":
        """Put a summary in the place of the older part of the conversation. A run that is going ends first, with its last events."""
        return cast("CompactionResult", self.call("compact", {"customInstructions": custom_instructions}, timeout=timeout))

    def set_auto_compaction(
        self,
        enabled: bool,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Whether this session compacts by itself when the context window fills up."""
        self.call("set_auto_compaction", {"enabled": enabled}, timeout=timeout)

    def set_auto_retry(
        self,
        enabled: bool,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Whether this session asks again by itself after overload, rate limits and server errors."""
        self.call("set_auto_retry", {"enabled": enabled}, timeout=timeout)

    def abort_retry(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Cancel the wait before the next attempt, and stop trying. Succeeds also when nothing waits."""
        self.call("abort_retry", {}, timeout=timeout)

    def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> "BashResult":
        """Run a shell command in the working directory. Its output reaches the model with the next prompt. Several may run at once."""
        return cast("BashResult", self.call("bash", {"command": command, "excludeFromContext": exclude_from_context}, timeout=timeout))

    def abort_bash(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop every command that `bash` is running. The model’s own bash calls are stopped by `abort`."""
        self.call("abort_bash", {}, timeout=timeout)

    def get_session_stats(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "SessionStats":
        """Counts of messages, tokens and cost of the conversation."""
        return cast("SessionStats", self.call("get_session_stats", {}, timeout=timeout))

    def set_session_name(
        self,
        name: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Give the current session a display name."""
        self.call("set_session_name", {"name": name}, timeout=timeout)

    def set_host_tools(
        self,
        tools: List[Any],
        *,
        timeout: Optional[float] = None,
    ) -> "SetHostToolsResult":
        """Offer the model tools that live in the host, in the place of those set before. Each has a name, a description and its parameters as JSON Schema. A call comes as host_tool_call and is answered with host_tool_result. Experimental."""
        return cast("SetHostToolsResult", self.call("set_host_tools", {"tools": tools}, timeout=timeout))

    def set_event_filter(
        self,
        events: Union[List[str], None],
        *,
        timeout: Optional[float] = None,
    ) -> "SetEventFilterResult":
        """Be told only of these events from here on; of all of them with null. Some that are told only to whoever names them: queue_update, bash_execution_update. Responses and questions always come, and so does what set_subagent_subscription asks for. Experimental."""
        return cast("SetEventFilterResult", self.call("set_event_filter", {"events": events}, timeout=timeout))

    def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        timeout: Optional[float] = None,
    ) -> "SetSubagentSubscriptionResult":
        """How much to be told of what subagents do: nothing more than their starts and ends (`off`, as it is at first), what they are doing (`progress`), or every event of their sessions as well (`events`). Experimental."""
        return cast("SetSubagentSubscriptionResult", self.call("set_subagent_subscription", {"level": level}, timeout=timeout))

    def get_subagents(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetSubagentsResult":
        """The subagents that are at work, those of subagents included. Experimental."""
        return cast("GetSubagentsResult", self.call("get_subagents", {}, timeout=timeout))

    def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "GetSubagentMessagesResult":
        """What a subagent of this session has said and done so far, from a byte of its log on; also when it is over. Ask again from `nextByte` for what follows. Experimental."""
        return cast("GetSubagentMessagesResult", self.call("get_subagent_messages", {"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}, timeout=timeout))

    def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "GetMessagesPageResult":
        """The messages of the conversation in pages, oldest first: `nextCursor` is there while more follow. Refused with the code `session_busy` while a run or a compaction is going, and with `stale_cursor` when the conversation is another than the cursor was given for. Experimental."""
        return cast("GetMessagesPageResult", self.call("get_messages_page", {"cursor": cursor, "limit": limit}, timeout=timeout))

    def get_available_commands(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableCommandsResult":
        """The same as get_commands, as omp has it: name, description, and where it comes from. Experimental."""
        return cast("GetAvailableCommandsResult", self.call("get_available_commands", {}, timeout=timeout))

    def set_todos(
        self,
        phases: List["TodoPhase"],
        *,
        timeout: Optional[float] = None,
    ) -> "SetTodosResult":
        """Write the list of things to do, in phases, in the place of what was in it. It is kept with the session; the model is reminded of what is left as the settings say, and writes the list anew with its own tool. Experimental."""
        return cast("SetTodosResult", self.call("set_todos", {"phases": phases}, timeout=timeout))

    def get_login_providers(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetLoginProvidersResult":
        """The providers that a person can sign in with, and whether somebody has. Experimental."""
        return cast("GetLoginProvidersResult", self.call("get_login_providers", {}, timeout=timeout))

    def login(
        self,
        provider_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "LoginResult":
        """Sign in with a provider. The address to open and the code to type there come as extension_ui_request `open_url`; answered when the person has agreed and the login is kept. Holds up nothing else. Experimental."""
        return cast("LoginResult", self.call("login", {"providerId": provider_id}, timeout=timeout))
