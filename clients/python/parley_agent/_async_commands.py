"""Every command as a method. Generated from the declarations by `npm run docs`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, cast

from .protocol import (
    AbortAndPromptResult,
    Attachment,
    BashResult,
    BranchResult,
    CancelLoginResult,
    CancelSubmissionResult,
    ClearQueueResult,
    CloneResult,
    CompactionResult,
    ContinueRunResult,
    CycleModelResult,
    CycleThinkingLevelResult,
    EditQueuedMessageResult,
    ExportHtmlResult,
    FindSessionResult,
    FollowUpResult,
    GetAvailableCommandsResult,
    GetAvailableModelsResult,
    GetAvailableThinkingLevelsResult,
    GetBranchMessagesResult,
    GetCommandsResult,
    GetContextBreakdownResult,
    GetEntriesResult,
    GetLastAssistantTextResult,
    GetLoginProvidersResult,
    GetMcpServersResult,
    GetMessagesPageResult,
    GetMessagesRangeResult,
    GetMessagesResult,
    GetQueueResult,
    GetSchemaResult,
    GetSettingsResult,
    GetSettingsSchemaResult,
    GetSubagentMessagesResult,
    GetSubagentsResult,
    GetSubmissionPatchResult,
    GetSubmissionResult,
    GetTreeResult,
    HandoffResult,
    HostUriScheme,
    IncomingImage,
    InterruptMode,
    ListArtifactsResult,
    ListModelsResult,
    ListSessionsResult,
    ListSubmissionsResult,
    LoginResult,
    Model,
    MoveSessionResult,
    NegotiateProtocolResult,
    NewSessionResult,
    OpenSessionResult,
    PermissionMode,
    PromptResult,
    QueueMode,
    ReadArtifactResult,
    RemoveQueuedMessageResult,
    SessionState,
    SessionStats,
    SetEventFilterResult,
    SetFastModeResult,
    SetHostToolsResult,
    SetHostUriSchemesResult,
    SetPermissionModeResult,
    SetSettingsResult,
    SetSubagentSubscriptionResult,
    SetTodosResult,
    StartSubagentResult,
    SteerResult,
    SubmitResult,
    SwitchSessionResult,
    ThinkingLevel,
    TodoPhase,
    VerificationOnFailure,
    VerificationRequest,
)


class AsyncCommands:
    async def call(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, timeout: Optional[float] = None
    ) -> Any:
        raise NotImplementedError

    async def abort(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt."""
        await self.call("abort", {}, timeout=timeout)

    async def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> "AbortAndPromptResult":
        """Stop the current run and start another. Answered between the old run’s agent_end and the new run’s agent_start."""
        return cast("AbortAndPromptResult", await self.call("abort_and_prompt", {"message": message, "images": images, "attachments": attachments}, timeout=timeout))

    async def abort_bash(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop all commands that were started with `bash`. The bash tool calls of the model are stopped with `abort`."""
        await self.call("abort_bash", {}, timeout=timeout)

    async def abort_retry(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Cancel the pending retry. Succeeds also when no retry is pending."""
        await self.call("abort_retry", {}, timeout=timeout)

    async def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> "BashResult":
        """Run a shell command in the working directory. Its output is added to the context with the next prompt. Several commands can run at the same time."""
        return cast("BashResult", await self.call("bash", {"command": command, "excludeFromContext": exclude_from_context}, timeout=timeout))

    async def branch(
        self,
        entry_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "BranchResult":
        """Start a new session with the conversation before one of the user messages, and return the text of that message."""
        return cast("BranchResult", await self.call("branch", {"entryId": entry_id}, timeout=timeout))

    async def cancel_login(
        self,
        provider_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "CancelLoginResult":
        """Cancel the `login` with a provider that is in progress. That `login` fails. `cancelled` is false if there was none. Experimental."""
        return cast("CancelLoginResult", await self.call("cancel_login", {"providerId": provider_id}, timeout=timeout))

    async def cancel_submission(
        self,
        submission_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "CancelSubmissionResult":
        """Stop a submission: one that waits is never started, and the work of one that runs is aborted. Does nothing when it has ended. Experimental."""
        return cast("CancelSubmissionResult", await self.call("cancel_submission", {"submissionId": submission_id}, timeout=timeout))

    async def clear_queue(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "ClearQueueResult":
        """Remove all queued messages and return their texts."""
        return cast("ClearQueueResult", await self.call("clear_queue", {}, timeout=timeout))

    async def clone(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CloneResult":
        """Copy the current conversation to a new session and continue there. The old session is not changed."""
        return cast("CloneResult", await self.call("clone", {}, timeout=timeout))

    async def compact(
        self,
        *,
        custom_instructions: Optional[str] = None,
        keep_messages: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "CompactionResult":
        """Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events. `keepMessages` is the number of newest messages that are not summarised; without it the token limit of the settings applies."""
        return cast("CompactionResult", await self.call("compact", {"customInstructions": custom_instructions, "keepMessages": keep_messages}, timeout=timeout))

    async def continue_run(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "ContinueRunResult":
        """Continue the run that was interrupted because the program was killed (`isInterrupted` of get_state), without a new user message. Tool calls that have no result are recorded as interrupted, and the model is asked again. The log of a session in a database says which calls were started: the others are run first. Answered like prompt: when accepted, and in the omp dialect `prompt_result` reports how the run ended. Messages that were queued before stay queued and are delivered by the run. Refused when the last run has ended, and during a run. Experimental."""
        return cast("ContinueRunResult", await self.call("continue_run", {}, timeout=timeout))

    async def cycle_model(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CycleModelResult":
        """Switch to the next of the models given with --models, otherwise of all available models. `null` when there is no other model."""
        return cast("CycleModelResult", await self.call("cycle_model", {}, timeout=timeout))

    async def cycle_thinking_level(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "CycleThinkingLevelResult":
        """Switch to the next thinking level of the model, cyclically. `null` when the model does not support thinking."""
        return cast("CycleThinkingLevelResult", await self.call("cycle_thinking_level", {}, timeout=timeout))

    async def edit_queued_message(
        self,
        message_id: str,
        message: str,
        *,
        timeout: Optional[float] = None,
    ) -> "EditQueuedMessageResult":
        """Replace the text of a queued message, given by its id in get_queue; images and attachments stay. Extensions process the new text as they process a new message: if one has handled it (`disposition` is `handled`), the queued message is not changed. Refused with the code `already_taken` when a run has taken the message. Experimental."""
        return cast("EditQueuedMessageResult", await self.call("edit_queued_message", {"messageId": message_id, "message": message}, timeout=timeout))

    async def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "ExportHtmlResult":
        """Export the session as one self-contained HTML file. Without a path, a new file is created in the working directory; existing files are not overwritten."""
        return cast("ExportHtmlResult", await self.call("export_html", {"outputPath": output_path}, timeout=timeout))

    async def find_session(
        self,
        session: str,
        *,
        timeout: Optional[float] = None,
    ) -> "FindSessionResult":
        """One stored session, by its path or the beginning of its id. Only sessions that list_sessions shows are found. Experimental."""
        return cast("FindSessionResult", await self.call("find_session", {"session": session}, timeout=timeout))

    async def follow_up(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> "FollowUpResult":
        """Queue a message that is sent when the run would otherwise end, also after an error. Without a run it waits for the next run."""
        return cast("FollowUpResult", await self.call("follow_up", {"message": message, "images": images, "attachments": attachments}, timeout=timeout))

    async def get_available_commands(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableCommandsResult":
        """The same list as get_commands in the format of omp: name, description and source. Changes are sent as `available_commands_update`. Experimental."""
        return cast("GetAvailableCommandsResult", await self.call("get_available_commands", {}, timeout=timeout))

    async def get_available_models(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableModelsResult":
        """The models that can be used now: those with credentials, and the offline model."""
        return cast("GetAvailableModelsResult", await self.call("get_available_models", {}, timeout=timeout))

    async def get_available_thinking_levels(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetAvailableThinkingLevelsResult":
        """The thinking levels that the current model supports."""
        return cast("GetAvailableThinkingLevelsResult", await self.call("get_available_thinking_levels", {}, timeout=timeout))

    async def get_branch_messages(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetBranchMessagesResult":
        """The user messages of all branches from which `branch` can start."""
        return cast("GetBranchMessagesResult", await self.call("get_branch_messages", {}, timeout=timeout))

    async def get_commands(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetCommandsResult":
        """The available slash commands: extension commands, prompt templates and skills."""
        return cast("GetCommandsResult", await self.call("get_commands", {}, timeout=timeout))

    async def get_context_breakdown(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetContextBreakdownResult":
        """What fills the context window, in tokens: system prompt, context files, tools and messages. The parts are estimates; their sum is the count of the provider if it has reported one. Experimental."""
        return cast("GetContextBreakdownResult", await self.call("get_context_breakdown", {}, timeout=timeout))

    async def get_entries(
        self,
        *,
        since: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "GetEntriesResult":
        """The entries of the session log in the order they were written; those after `since` when it is given."""
        return cast("GetEntriesResult", await self.call("get_entries", {"since": since}, timeout=timeout))

    async def get_last_assistant_text(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetLastAssistantTextResult":
        """The text of the last assistant message, or null when there is none."""
        return cast("GetLastAssistantTextResult", await self.call("get_last_assistant_text", {}, timeout=timeout))

    async def get_login_providers(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetLoginProvidersResult":
        """The providers that support sign-in, and whether they have credentials. Experimental."""
        return cast("GetLoginProvidersResult", await self.call("get_login_providers", {}, timeout=timeout))

    async def get_mcp_servers(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetMcpServersResult":
        """The MCP servers of this session and their state. Starts them, if no prompt has done so, and does not wait for them. Experimental."""
        return cast("GetMcpServersResult", await self.call("get_mcp_servers", {}, timeout=timeout))

    async def get_messages(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetMessagesResult":
        """All messages of the current conversation."""
        return cast("GetMessagesResult", await self.call("get_messages", {}, timeout=timeout))

    async def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "GetMessagesPageResult":
        """The messages of the conversation in pages, oldest first. `nextCursor` is present while more pages follow. Refused with the code `session_busy` during a run or a compaction, and with `stale_cursor` when the conversation has changed since the cursor was issued. Experimental."""
        return cast("GetMessagesPageResult", await self.call("get_messages_page", {"cursor": cursor, "limit": limit}, timeout=timeout))

    async def get_messages_range(
        self,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "GetMessagesRangeResult":
        """The messages of the conversation from the index `start` up to, but without, `end`; also during a run. At most 256 messages and about 768 KiB: if there are more, the first of them are returned. Without `start`, or with a negative one, which counts from the end of the conversation, the newest of them are returned. `start` of the result is the index of its first message. Experimental."""
        return cast("GetMessagesRangeResult", await self.call("get_messages_range", {"start": start, "end": end}, timeout=timeout))

    async def get_queue(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetQueueResult":
        """The queued messages of both queues, in the order in which they are delivered within their queue. `images` is the number of images of the message. Experimental."""
        return cast("GetQueueResult", await self.call("get_queue", {}, timeout=timeout))

    async def get_schema(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetSchemaResult":
        """The JSON Schema of all frames of the dialect in use: `HostFrame` describes what a host sends, `AgentFrame` what it receives. Experimental."""
        return cast("GetSchemaResult", await self.call("get_schema", {}, timeout=timeout))

    async def get_session_stats(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "SessionStats":
        """Message counts, token usage and cost of the conversation."""
        return cast("SessionStats", await self.call("get_session_stats", {}, timeout=timeout))

    async def get_settings(
        self,
        *,
        scope: Optional[Literal["user", "project", "session"]] = None,
        timeout: Optional[float] = None,
    ) -> "GetSettingsResult":
        """The settings of one scope, by their names: `user` and `project` are files, `session` are the changes by set_settings. Without `scope` all of them, and in `effective` the values in effect with their source. `flag`: the command line. `start`: given when the session started, by the program that started it or by a file that has changed since. `nextValue` is the value in a session that is opened now, if it is another one. The file of a project that is not trusted is not read. Values with the name of a secret are left out. Experimental."""
        return cast("GetSettingsResult", await self.call("get_settings", {"scope": scope}, timeout=timeout))

    async def get_settings_schema(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetSettingsSchemaResult":
        """Every setting with its sentence, its JSON Schema and its default. `restricts`: it forbids or limits something. `project`: whether the value of a trusted project replaces that of the user, can only restrict it, or is ignored. `session`: whether set_settings can change it in an open session. Experimental."""
        return cast("GetSettingsSchemaResult", await self.call("get_settings_schema", {}, timeout=timeout))

    async def get_state(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "SessionState":
        """The current state of the session."""
        return cast("SessionState", await self.call("get_state", {}, timeout=timeout))

    async def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "GetSubagentMessagesResult":
        """The log of a subagent of this session, starting at byte offset `fromByte`; also available after it has ended. Continue with `nextByte`. Experimental."""
        return cast("GetSubagentMessagesResult", await self.call("get_subagent_messages", {"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}, timeout=timeout))

    async def get_subagents(
        self,
        *,
        include_ended: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> "GetSubagentsResult":
        """The running subagents, including nested ones. With `includeEnded`, those of this session that have ended come first, also those from before it was resumed. Experimental."""
        return cast("GetSubagentsResult", await self.call("get_subagents", {"includeEnded": include_ended}, timeout=timeout))

    async def get_submission(
        self,
        submission_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "GetSubmissionResult":
        """The state of a submission, and its result if it has ended. The session with the same id has the conversation. Experimental."""
        return cast("GetSubmissionResult", await self.call("get_submission", {"submissionId": submission_id}, timeout=timeout))

    async def get_submission_patch(
        self,
        submission_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "GetSubmissionPatchResult":
        """The change of a submission as a binary unified diff against its commit, in base64. Absent when nothing was changed, or it has not ended. Experimental."""
        return cast("GetSubmissionPatchResult", await self.call("get_submission_patch", {"submissionId": submission_id}, timeout=timeout))

    async def get_tree(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "GetTreeResult":
        """The entries of the session log as a tree, and the current leaf."""
        return cast("GetTreeResult", await self.call("get_tree", {}, timeout=timeout))

    async def handoff(
        self,
        *,
        custom_instructions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "HandoffResult":
        """Write a document with everything that another agent needs to continue, and replace the conversation with it. It is also saved next to the session file. Refused during a run. `null` when an extension cancelled it. Experimental."""
        return cast("HandoffResult", await self.call("handoff", {"customInstructions": custom_instructions}, timeout=timeout))

    async def list_artifacts(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> "ListArtifactsResult":
        """The artifacts of this session, oldest first: the complete outputs of which a result shows a part. `createdMs` is when it was written. Experimental."""
        return cast("ListArtifactsResult", await self.call("list_artifacts", {}, timeout=timeout))

    async def list_models(
        self,
        *,
        query: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "ListModelsResult":
        """All known models and providers. `usable` is false for a model that cannot be used now; `reason` says why, and what to do. Every word of `query` must occur in the provider, the id or the name of a model; providers are not filtered. Local model servers are asked only if they are configured. Never contains a key. Experimental."""
        return cast("ListModelsResult", await self.call("list_models", {"query": query}, timeout=timeout))

    async def list_sessions(
        self,
        *,
        query: Optional[str] = None,
        cwd: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "ListSessionsResult":
        """Stored sessions, newest first; those of the working directory `cwd` if it is given. `query` must occur in the name, the path, or a message of the user or the model (then `match` shows the place), or begin the id; upper and lower case do not matter. `nextCursor` is present if older sessions follow: pass it as `cursor` for the next page. A search that takes long returns early, with fewer sessions and a cursor. At most 1000 sessions; without `limit` 100. `cost` is in US dollars, `bytes` includes artifacts. Experimental."""
        return cast("ListSessionsResult", await self.call("list_sessions", {"query": query, "cwd": cwd, "limit": limit, "cursor": cursor}, timeout=timeout))

    async def list_submissions(
        self,
        *,
        queue: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "ListSubmissionsResult":
        """The submissions of the tenant, newest first; those of one queue with `queue`. At most 1000; without `limit` 100. Experimental."""
        return cast("ListSubmissionsResult", await self.call("list_submissions", {"queue": queue, "limit": limit}, timeout=timeout))

    async def login(
        self,
        provider_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "LoginResult":
        """Sign in with a provider. The URL to open and the code to enter are sent as extension_ui_request `open_url`. If the sign-in ends with a redirect to this machine, an `input` request follows: a browser on another machine cannot be redirected here, and the user can paste the URL of its last page instead. The request is withdrawn after the redirect; dismissing it does not end the sign-in. The response follows when the user has confirmed and the credentials are saved. Other commands do not wait. A second login with the same provider cancels the first. Experimental."""
        return cast("LoginResult", await self.call("login", {"providerId": provider_id}, timeout=timeout))

    async def move_queued_message(
        self,
        message_id: str,
        *,
        index: Optional[int] = None,
        kind: Optional[Literal["steer", "followUp"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Move a queued message within its queue, or with `kind` to the other queue. `index` is its new place in the queue; by default the end. Refused with the code `already_taken` when a run has taken it. Experimental."""
        await self.call("move_queued_message", {"messageId": message_id, "index": index, "kind": kind}, timeout=timeout)

    async def move_session(
        self,
        cwd: str,
        *,
        session_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "MoveSessionResult":
        """Move a session to another working directory: its log, artifacts and subagent logs. `sessionId` is its id, the beginning of it, or its path; without it the open session is moved. An open session continues in the new directory, with the settings, the trust and the tools of that directory (`reopened`); where the process has only one session it is refused, and another session must be opened first. Refused with the code `busy` during a run, and when another process uses the session. Paths in earlier messages are not changed. Experimental."""
        return cast("MoveSessionResult", await self.call("move_session", {"sessionId": session_id, "cwd": cwd}, timeout=timeout))

    async def negotiate_protocol(
        self,
        protocol_version: float,
        *,
        timeout: Optional[float] = None,
    ) -> "NegotiateProtocolResult":
        """Use version 2 of the protocol from the next frame on: a frame of more than `maxFrameBytes` (see `ready`) is sent as several `rpc_chunk` frames. `data` of the chunks is base64; decoded and joined they are the JSON of the frame. Experimental."""
        return cast("NegotiateProtocolResult", await self.call("negotiate_protocol", {"protocolVersion": protocol_version}, timeout=timeout))

    async def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> "NewSessionResult":
        """Start a new session. A run in progress is stopped first and sends its final events."""
        return cast("NewSessionResult", await self.call("new_session", {"parentSession": parent_session}, timeout=timeout))

    async def open_session(
        self,
        session_dir: str,
        *,
        timeout: Optional[float] = None,
    ) -> "OpenSessionResult":
        """Switch to the newest session in a directory, or start one there when it has none. `resumed` is false for a new session. A run in progress is stopped first and sends its final events. Experimental."""
        return cast("OpenSessionResult", await self.call("open_session", {"sessionDir": session_dir}, timeout=timeout))

    async def prompt(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
        timeout: Optional[float] = None,
    ) -> "PromptResult":
        """Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id."""
        return cast("PromptResult", await self.call("prompt", {"message": message, "images": images, "attachments": attachments, "streamingBehavior": streaming_behavior}, timeout=timeout))

    async def read_artifact(
        self,
        artifact_id: str,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> "ReadArtifactResult":
        """A part of an artifact, from the byte `offset` on, at most `limit` bytes and at most 256 KiB: `text`, or `base64` if it is not UTF-8 text. A character is never cut: continue with `nextOffset`, which is absent at the end. Experimental."""
        return cast("ReadArtifactResult", await self.call("read_artifact", {"artifactId": artifact_id, "offset": offset, "limit": limit}, timeout=timeout))

    async def remove_queued_message(
        self,
        message_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> "RemoveQueuedMessageResult":
        """Remove a queued message and return its text. Refused with the code `already_taken` when a run has taken it. Experimental."""
        return cast("RemoveQueuedMessageResult", await self.call("remove_queued_message", {"messageId": message_id}, timeout=timeout))

    async def resume_subagent(
        self,
        subagent_id: str,
        message: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Continue a subagent of this session that has ended, with its own log as history and a further message. Events and permissions are those of a new task of the same agent. An isolated subagent gets a new copy of the repository with its change; refused when that change was not kept or does not apply. Answered when it has started again. Experimental."""
        await self.call("resume_subagent", {"subagentId": subagent_id, "message": message}, timeout=timeout)

    async def set_auto_compaction(
        self,
        enabled: bool,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Enable or disable automatic compaction when the context window fills up."""
        await self.call("set_auto_compaction", {"enabled": enabled}, timeout=timeout)

    async def set_auto_retry(
        self,
        enabled: bool,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Enable or disable automatic retries after overload, rate limits and server errors."""
        await self.call("set_auto_retry", {"enabled": enabled}, timeout=timeout)

    async def set_event_filter(
        self,
        events: Union[List[str], None],
        *,
        timeout: Optional[float] = None,
    ) -> "SetEventFilterResult":
        """Send only these events from now on; null removes the filter. Some events are sent only when they are listed here: queue_update, bash_execution_update. Responses, UI requests, `prompt_result`, `session_settled` and the events of set_subagent_subscription are always sent. Experimental."""
        return cast("SetEventFilterResult", await self.call("set_event_filter", {"events": events}, timeout=timeout))

    async def set_fast_mode(
        self,
        enabled: bool,
        *,
        timeout: Optional[float] = None,
    ) -> "SetFastModeResult":
        """Use the faster processing tier of the provider from the next request on, or the usual one. It costs more. `active` is false while the current model does not support it. Experimental."""
        return cast("SetFastModeResult", await self.call("set_fast_mode", {"enabled": enabled}, timeout=timeout))

    async def set_follow_up_mode(
        self,
        mode: "QueueMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Deliver one queued follow-up message at a time, or all at once."""
        await self.call("set_follow_up_mode", {"mode": mode}, timeout=timeout)

    async def set_host_tools(
        self,
        tools: List[Any],
        *,
        timeout: Optional[float] = None,
    ) -> "SetHostToolsResult":
        """Register tools that the host executes, replacing the ones set before. Each has a name, a description and its parameters as JSON Schema. A call is sent to the host as host_tool_call and answered with host_tool_result. Experimental."""
        return cast("SetHostToolsResult", await self.call("set_host_tools", {"tools": tools}, timeout=timeout))

    async def set_host_uri_schemes(
        self,
        schemes: List["HostUriScheme"],
        *,
        timeout: Optional[float] = None,
    ) -> "SetHostUriSchemesResult":
        """Register URI schemes that the host resolves, replacing the ones set before. The read tool sends a `host_uri_request` for a URI such as `db://users/1`, and so does the write tool when the scheme is `writable`. The host answers with `host_uri_result`. Experimental."""
        return cast("SetHostUriSchemesResult", await self.call("set_host_uri_schemes", {"schemes": schemes}, timeout=timeout))

    async def set_interrupt_mode(
        self,
        mode: "InterruptMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """`immediate`: steering messages are delivered between the tool calls of a turn, and the remaining calls are skipped. `wait`: they are delivered only after the turn."""
        await self.call("set_interrupt_mode", {"mode": mode}, timeout=timeout)

    async def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        thinking_level: Optional["ThinkingLevel"] = None,
        timeout: Optional[float] = None,
    ) -> "Model":
        """Switch to a model. The choice is stored in the session; a request in progress finishes with the old model. Without `thinkingLevel` the session keeps its level."""
        return cast("Model", await self.call("set_model", {"provider": provider, "modelId": model_id, "thinkingLevel": thinking_level}, timeout=timeout))

    async def set_permission_mode(
        self,
        mode: "PermissionMode",
        *,
        timeout: Optional[float] = None,
    ) -> "SetPermissionModeResult":
        """What the agent may do without asking, from the next tool call on. `full`: everything. `auto-edit`: read and change files. `ask`: read. `always`: nothing. `read-only`: read; other calls are denied. Subagents follow. It ends with the process, except on a server, where it belongs to the session. Experimental."""
        return cast("SetPermissionModeResult", await self.call("set_permission_mode", {"mode": mode}, timeout=timeout))

    async def set_session_name(
        self,
        name: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Set the display name of the current session."""
        await self.call("set_session_name", {"name": name}, timeout=timeout)

    async def set_settings(
        self,
        scope: Literal["user", "project", "session"],
        *,
        settings: Optional[Dict[str, Any]] = None,
        remove: Optional[List[str]] = None,
        timeout: Optional[float] = None,
    ) -> "SetSettingsResult":
        """Change settings of one scope, and remove those in `remove` from it. `user` and `project` write the file, which counts for sessions that are opened later; the project must be trusted, and cannot loosen what the user restricts. `session` applies from the next use on and ends with the process, except on a server, where it belongs to the session; settings that need a new session are refused by name, and those that restrict can only be made stricter, except `approval`, which works like set_permission_mode. One refused value refuses all. Experimental."""
        return cast("SetSettingsResult", await self.call("set_settings", {"scope": scope, "settings": settings, "remove": remove}, timeout=timeout))

    async def set_steering_mode(
        self,
        mode: "QueueMode",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Deliver one queued steering message per turn, or all at once."""
        await self.call("set_steering_mode", {"mode": mode}, timeout=timeout)

    async def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        timeout: Optional[float] = None,
    ) -> "SetSubagentSubscriptionResult":
        """Select which subagent events are sent: only start and end (`off`, the default), progress as well (`progress`), or also every event of their sessions (`events`). Experimental."""
        return cast("SetSubagentSubscriptionResult", await self.call("set_subagent_subscription", {"level": level}, timeout=timeout))

    async def set_thinking_level(
        self,
        level: "ThinkingLevel",
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Set the thinking level. A level that the model does not support is replaced by the nearest supported one."""
        await self.call("set_thinking_level", {"level": level}, timeout=timeout)

    async def set_todos(
        self,
        phases: List["TodoPhase"],
        *,
        timeout: Optional[float] = None,
    ) -> "SetTodosResult":
        """Replace the todo list, in phases. It is stored with the session. The model is reminded of unfinished items according to the settings, and can replace the list with its own tool. Experimental."""
        return cast("SetTodosResult", await self.call("set_todos", {"phases": phases}, timeout=timeout))

    async def shutdown(
        self,
        *,
        mode: Optional[Literal["finish", "abort"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """End the program with exit code 0 after all frames are sent. `finish` completes the current run and its queued messages first; `abort` stops the run. Answered before the work is done. Experimental."""
        await self.call("shutdown", {"mode": mode}, timeout=timeout)

    async def start_subagent(
        self,
        agent: str,
        assignment: str,
        *,
        description: Optional[str] = None,
        context: Optional[str] = None,
        isolated: Optional[bool] = None,
        verify: Optional[Union[bool, str, "VerificationRequest"]] = None,
        timeout: Optional[float] = None,
    ) -> "StartSubagentResult":
        """Start one task outside of a model’s turn, as the task tool does: with the same agents, limits, permissions and events. Answered when the subagent has started. Its result is not added to the conversation: see `includeEnded` of get_subagents, and get_subagent_messages. abort does not stop it; stop_subagent does, and so does the end of the session. Experimental."""
        return cast("StartSubagentResult", await self.call("start_subagent", {"agent": agent, "assignment": assignment, "description": description, "context": context, "isolated": isolated, "verify": verify}, timeout=timeout))

    async def steer(
        self,
        message: str,
        *,
        images: Optional[List["IncomingImage"]] = None,
        attachments: Optional[List["Attachment"]] = None,
        timeout: Optional[float] = None,
    ) -> "SteerResult":
        """Queue a message that interrupts the run: it is sent to the model at the next point that the interrupt mode allows. Without a run it waits for the next prompt."""
        return cast("SteerResult", await self.call("steer", {"message": message, "images": images, "attachments": attachments}, timeout=timeout))

    async def steer_subagent(
        self,
        subagent_id: str,
        message: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Queue a message for a running subagent. It is sent to its model after the tool calls of the current turn. Answered when it is on disk. Refused when the subagent has ended, or its work is being verified. Experimental."""
        await self.call("steer_subagent", {"subagentId": subagent_id, "message": message}, timeout=timeout)

    async def stop_subagent(
        self,
        subagent_id: str,
        *,
        reason: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Stop one subagent and its own subagents. Other subagents and the run of the session go on; the task tool reports the subagent as stopped, with `reason`. Answered after its `subagent_end`. The change of an isolated subagent that had not finished is discarded. Experimental."""
        await self.call("stop_subagent", {"subagentId": subagent_id, "reason": reason}, timeout=timeout)

    async def submit(
        self,
        prompt: str,
        *,
        submission_id: Optional[str] = None,
        queue: Optional[str] = None,
        repository: Optional[str] = None,
        commit: Optional[str] = None,
        verify: Optional[List[str]] = None,
        on_failure: Optional["VerificationOnFailure"] = None,
        priority: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> "SubmitResult":
        """Lets a worker (`parley worker`) run a prompt in a copy of a repository, at a commit, and return the change as a patch. `repository` is a directory or a URL; without it the worker begins with an empty directory. `verify` are commands that must succeed afterwards. With a `submissionId` that was used before for the same work, that submission is returned and `isNew` is false. The id is also that of the session. Needs a database. Experimental."""
        return cast("SubmitResult", await self.call("submit", {"prompt": prompt, "submissionId": submission_id, "queue": queue, "repository": repository, "commit": commit, "verify": verify, "onFailure": on_failure, "priority": priority}, timeout=timeout))

    async def switch_session(
        self,
        session_path: str,
        *,
        after: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> "SwitchSessionResult":
        """Switch to another session, given by its path or a prefix of its id. A run in progress is stopped first and sends its final events. On a server only this client moves, runs continue, and the events after the position `after` are sent first; with 0, a snapshot."""
        return cast("SwitchSessionResult", await self.call("switch_session", {"sessionPath": session_path, "after": after}, timeout=timeout))
