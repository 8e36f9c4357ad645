// The omp dialect of Parley. Generated from the declarations; do not edit.

/** Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt. */
export type AbortCommand = {
  "id"?: string | number;
  "type": "abort";
};

/** Stop the current run and start another. Answered between the old run’s agent_end and the new run’s agent_start. */
export type AbortAndPromptCommand = {
  "id"?: string | number;
  "type": "abort_and_prompt";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** Stop all commands that were started with `bash`. The bash tool calls of the model are stopped with `abort`. */
export type AbortBashCommand = {
  "id"?: string | number;
  "type": "abort_bash";
};

/** Cancel the pending retry. Succeeds also when no retry is pending. */
export type AbortRetryCommand = {
  "id"?: string | number;
  "type": "abort_retry";
};

/** Run a shell command in the working directory. Its output is added to the context with the next prompt. Several commands can run at the same time. */
export type BashCommand = {
  "id"?: string | number;
  "type": "bash";
  "command": string;
  "excludeFromContext"?: boolean;
};

/** Start a new session with the conversation before one of the user messages, and return the text of that message. */
export type BranchCommand = {
  "id"?: string | number;
  "type": "branch";
  "entryId": string;
};

/** Cancel the `login` with a provider that is in progress. That `login` fails. `cancelled` is false if there was none. @experimental */
export type CancelLoginCommand = {
  "id"?: string | number;
  "type": "cancel_login";
  "providerId": string;
};

/** Stop a submission: one that waits is never started, and the work of one that runs is aborted. Does nothing when it has ended. @experimental */
export type CancelSubmissionCommand = {
  "id"?: string | number;
  "type": "cancel_submission";
  "submissionId": string;
};

/** Remove all queued messages and return their texts. */
export type ClearQueueCommand = {
  "id"?: string | number;
  "type": "clear_queue";
};

/** Copy the current conversation to a new session and continue there. The old session is not changed. */
export type CloneCommand = {
  "id"?: string | number;
  "type": "clone";
};

/** Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events. `keepMessages` is the number of newest messages that are not summarised; without it the token limit of the settings applies. */
export type CompactCommand = {
  "id"?: string | number;
  "type": "compact";
  "customInstructions"?: string;
  "keepMessages"?: number;
};

/** Continue the run that was interrupted because the program was killed (`isInterrupted` of get_state), without a new user message. Tool calls that have no result are recorded as interrupted, and the model is asked again. The log of a session in a database says which calls were started: the others are run first. Answered like prompt: when accepted, and in the omp dialect `prompt_result` reports how the run ended. Messages that were queued before stay queued and are delivered by the run. Refused when the last run has ended, and during a run. @experimental */
export type ContinueRunCommand = {
  "id"?: string | number;
  "type": "continue_run";
};

/** Switch to the next of the models given with --models, otherwise of all available models. `null` when there is no other model. */
export type CycleModelCommand = {
  "id"?: string | number;
  "type": "cycle_model";
};

/** Switch to the next thinking level of the model, cyclically. `null` when the model does not support thinking. */
export type CycleThinkingLevelCommand = {
  "id"?: string | number;
  "type": "cycle_thinking_level";
};

/** Replace the text of a queued message, given by its id in get_queue; images and attachments stay. Extensions process the new text as they process a new message: if one has handled it (`disposition` is `handled`), the queued message is not changed. Refused with the code `already_taken` when a run has taken the message. @experimental */
export type EditQueuedMessageCommand = {
  "id"?: string | number;
  "type": "edit_queued_message";
  "messageId": string;
  "message": string;
};

/** Export the session as one self-contained HTML file. Without a path, a new file is created in the working directory; existing files are not overwritten. */
export type ExportHtmlCommand = {
  "id"?: string | number;
  "type": "export_html";
  "outputPath"?: string;
};

/** One stored session, by its path or the beginning of its id. Only sessions that list_sessions shows are found. @experimental */
export type FindSessionCommand = {
  "id"?: string | number;
  "type": "find_session";
  "session": string;
};

/** Queue a message that is sent when the run would otherwise end, also after an error. Without a run it waits for the next run. */
export type FollowUpCommand = {
  "id"?: string | number;
  "type": "follow_up";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** The same list as get_commands in the format of omp: name, description and source. Changes are sent as `available_commands_update`. @experimental */
export type GetAvailableCommandsCommand = {
  "id"?: string | number;
  "type": "get_available_commands";
};

/** The models that can be used now: those with credentials, and the offline model. */
export type GetAvailableModelsCommand = {
  "id"?: string | number;
  "type": "get_available_models";
};

/** The thinking levels that the current model supports. */
export type GetAvailableThinkingLevelsCommand = {
  "id"?: string | number;
  "type": "get_available_thinking_levels";
};

/** The user messages of all branches from which `branch` can start. */
export type GetBranchMessagesCommand = {
  "id"?: string | number;
  "type": "get_branch_messages";
};

/** The available slash commands: extension commands, prompt templates and skills. */
export type GetCommandsCommand = {
  "id"?: string | number;
  "type": "get_commands";
};

/** What fills the context window, in tokens: system prompt, context files, tools and messages. The parts are estimates; their sum is the count of the provider if it has reported one. @experimental */
export type GetContextBreakdownCommand = {
  "id"?: string | number;
  "type": "get_context_breakdown";
};

/** The entries of the session log in the order they were written; those after `since` when it is given. */
export type GetEntriesCommand = {
  "id"?: string | number;
  "type": "get_entries";
  "since"?: string;
};

/** The text of the last assistant message, or null when there is none. */
export type GetLastAssistantTextCommand = {
  "id"?: string | number;
  "type": "get_last_assistant_text";
};

/** The providers that support sign-in, and whether they have credentials. @experimental */
export type GetLoginProvidersCommand = {
  "id"?: string | number;
  "type": "get_login_providers";
};

/** The MCP servers of this session and their state. Starts them, if no prompt has done so, and does not wait for them. @experimental */
export type GetMcpServersCommand = {
  "id"?: string | number;
  "type": "get_mcp_servers";
};

/** All messages of the current conversation. */
export type GetMessagesCommand = {
  "id"?: string | number;
  "type": "get_messages";
};

/** The messages of the conversation in pages, oldest first. `nextCursor` is present while more pages follow. Refused with the code `session_busy` during a run or a compaction, and with `stale_cursor` when the conversation has changed since the cursor was issued. @experimental */
export type GetMessagesPageCommand = {
  "id"?: string | number;
  "type": "get_messages_page";
  "cursor"?: string;
  "limit"?: number;
};

/** The messages of the conversation from the index `start` up to, but without, `end`; also during a run. At most 256 messages and about 768 KiB: if there are more, the first of them are returned. Without `start`, or with a negative one, which counts from the end of the conversation, the newest of them are returned. `start` of the result is the index of its first message. @experimental */
export type GetMessagesRangeCommand = {
  "id"?: string | number;
  "type": "get_messages_range";
  "start"?: number;
  "end"?: number;
};

/** The queued messages of both queues, in the order in which they are delivered within their queue. `images` is the number of images of the message. @experimental */
export type GetQueueCommand = {
  "id"?: string | number;
  "type": "get_queue";
};

/** The JSON Schema of all frames of the dialect in use: `HostFrame` describes what a host sends, `AgentFrame` what it receives. @experimental */
export type GetSchemaCommand = {
  "id"?: string | number;
  "type": "get_schema";
};

/** Message counts, token usage and cost of the conversation. */
export type GetSessionStatsCommand = {
  "id"?: string | number;
  "type": "get_session_stats";
};

/** The settings of one scope, by their names: `user` and `project` are files, `session` are the changes by set_settings. Without `scope` all of them, and in `effective` the values in effect with their source. `flag`: the command line. `start`: given when the session started, by the program that started it or by a file that has changed since. `nextValue` is the value in a session that is opened now, if it is another one. The file of a project that is not trusted is not read. Values with the name of a secret are left out. @experimental */
export type GetSettingsCommand = {
  "id"?: string | number;
  "type": "get_settings";
  "scope"?: "user" | "project" | "session";
};

/** Every setting with its sentence, its JSON Schema and its default. `restricts`: it forbids or limits something. `project`: whether the value of a trusted project replaces that of the user, can only restrict it, or is ignored. `session`: whether set_settings can change it in an open session. @experimental */
export type GetSettingsSchemaCommand = {
  "id"?: string | number;
  "type": "get_settings_schema";
};

/** The current state of the session. */
export type GetStateCommand = {
  "id"?: string | number;
  "type": "get_state";
};

/** The log of a subagent of this session, starting at byte offset `fromByte`; also available after it has ended. Continue with `nextByte`. @experimental */
export type GetSubagentMessagesCommand = {
  "id"?: string | number;
  "type": "get_subagent_messages";
  "subagentId"?: string;
  "sessionFile"?: string;
  "fromByte"?: number;
};

/** The running subagents, including nested ones. With `includeEnded`, those of this session that have ended come first, also those from before it was resumed. @experimental */
export type GetSubagentsCommand = {
  "id"?: string | number;
  "type": "get_subagents";
  "includeEnded"?: boolean;
};

/** The state of a submission, and its result if it has ended. The session with the same id has the conversation. @experimental */
export type GetSubmissionCommand = {
  "id"?: string | number;
  "type": "get_submission";
  "submissionId": string;
};

/** The change of a submission as a binary unified diff against its commit, in base64. Absent when nothing was changed, or it has not ended. @experimental */
export type GetSubmissionPatchCommand = {
  "id"?: string | number;
  "type": "get_submission_patch";
  "submissionId": string;
};

/** The entries of the session log as a tree, and the current leaf. */
export type GetTreeCommand = {
  "id"?: string | number;
  "type": "get_tree";
};

/** Write a document with everything that another agent needs to continue, and replace the conversation with it. It is also saved next to the session file. Refused during a run. `null` when an extension cancelled it. @experimental */
export type HandoffCommand = {
  "id"?: string | number;
  "type": "handoff";
  "customInstructions"?: string;
};

/** The artifacts of this session, oldest first: the complete outputs of which a result shows a part. `createdMs` is when it was written. @experimental */
export type ListArtifactsCommand = {
  "id"?: string | number;
  "type": "list_artifacts";
};

/** All known models and providers. `usable` is false for a model that cannot be used now; `reason` says why, and what to do. Every word of `query` must occur in the provider, the id or the name of a model; providers are not filtered. Local model servers are asked only if they are configured. Never contains a key. @experimental */
export type ListModelsCommand = {
  "id"?: string | number;
  "type": "list_models";
  "query"?: string;
};

/** Stored sessions, newest first; those of the working directory `cwd` if it is given. `query` must occur in the name, the path, or a message of the user or the model (then `match` shows the place), or begin the id; upper and lower case do not matter. `nextCursor` is present if older sessions follow: pass it as `cursor` for the next page. A search that takes long returns early, with fewer sessions and a cursor. At most 1000 sessions; without `limit` 100. `cost` is in US dollars, `bytes` includes artifacts. @experimental */
export type ListSessionsCommand = {
  "id"?: string | number;
  "type": "list_sessions";
  "query"?: string;
  "cwd"?: string;
  "limit"?: number;
  "cursor"?: string;
};

/** The submissions of the tenant, newest first; those of one queue with `queue`. At most 1000; without `limit` 100. @experimental */
export type ListSubmissionsCommand = {
  "id"?: string | number;
  "type": "list_submissions";
  "queue"?: string;
  "limit"?: number;
};

/** Sign in with a provider. The URL to open and the code to enter are sent as extension_ui_request `open_url`. If the sign-in ends with a redirect to this machine, an `input` request follows: a browser on another machine cannot be redirected here, and the user can paste the URL of its last page instead. The request is withdrawn after the redirect; dismissing it does not end the sign-in. The response follows when the user has confirmed and the credentials are saved. Other commands do not wait. A second login with the same provider cancels the first. @experimental */
export type LoginCommand = {
  "id"?: string | number;
  "type": "login";
  "providerId": string;
};

/** Move a queued message within its queue, or with `kind` to the other queue. `index` is its new place in the queue; by default the end. Refused with the code `already_taken` when a run has taken it. @experimental */
export type MoveQueuedMessageCommand = {
  "id"?: string | number;
  "type": "move_queued_message";
  "messageId": string;
  "index"?: number;
  "kind"?: "steer" | "followUp";
};

/** Move a session to another working directory: its log, artifacts and subagent logs. `sessionId` is its id, the beginning of it, or its path; without it the open session is moved. An open session continues in the new directory, with the settings, the trust and the tools of that directory (`reopened`); where the process has only one session it is refused, and another session must be opened first. Refused with the code `busy` during a run, and when another process uses the session. Paths in earlier messages are not changed. @experimental */
export type MoveSessionCommand = {
  "id"?: string | number;
  "type": "move_session";
  "sessionId"?: string;
  "cwd": string;
};

/** Use version 2 of the protocol from the next frame on: a frame of more than `maxFrameBytes` (see `ready`) is sent as several `rpc_chunk` frames. `data` of the chunks is base64; decoded and joined they are the JSON of the frame. @experimental */
export type NegotiateProtocolCommand = {
  "id"?: string | number;
  "type": "negotiate_protocol";
  "protocolVersion": number;
};

/** Start a new session. A run in progress is stopped first and sends its final events. */
export type NewSessionCommand = {
  "id"?: string | number;
  "type": "new_session";
  "parentSession"?: string;
};

/** Switch to the newest session in a directory, or start one there when it has none. `resumed` is false for a new session. A run in progress is stopped first and sends its final events. @experimental */
export type OpenSessionCommand = {
  "id"?: string | number;
  "type": "open_session";
  "sessionDir": string;
};

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type PromptCommand = {
  "id"?: string | number;
  "type": "prompt";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
  "streamingBehavior"?: "steer" | "followUp";
};

/** A part of an artifact, from the byte `offset` on, at most `limit` bytes and at most 256 KiB: `text`, or `base64` if it is not UTF-8 text. A character is never cut: continue with `nextOffset`, which is absent at the end. @experimental */
export type ReadArtifactCommand = {
  "id"?: string | number;
  "type": "read_artifact";
  "artifactId": string;
  "offset"?: number;
  "limit"?: number;
};

/** Remove a queued message and return its text. Refused with the code `already_taken` when a run has taken it. @experimental */
export type RemoveQueuedMessageCommand = {
  "id"?: string | number;
  "type": "remove_queued_message";
  "messageId": string;
};

/** Continue a subagent of this session that has ended, with its own log as history and a further message. Events and permissions are those of a new task of the same agent. An isolated subagent gets a new copy of the repository with its change; refused when that change was not kept or does not apply. Answered when it has started again. @experimental */
export type ResumeSubagentCommand = {
  "id"?: string | number;
  "type": "resume_subagent";
  "subagentId": string;
  "message": string;
};

/** Enable or disable automatic compaction when the context window fills up. */
export type SetAutoCompactionCommand = {
  "id"?: string | number;
  "type": "set_auto_compaction";
  "enabled": boolean;
};

/** Enable or disable automatic retries after overload, rate limits and server errors. */
export type SetAutoRetryCommand = {
  "id"?: string | number;
  "type": "set_auto_retry";
  "enabled": boolean;
};

/** Send only these events from now on; null removes the filter. Some events are sent only when they are listed here: queue_update, bash_execution_update. Responses, UI requests, `prompt_result`, `session_settled` and the events of set_subagent_subscription are always sent. @experimental */
export type SetEventFilterCommand = {
  "id"?: string | number;
  "type": "set_event_filter";
  "events": Array<string> | null;
};

/** Use the faster processing tier of the provider from the next request on, or the usual one. It costs more. `active` is false while the current model does not support it. @experimental */
export type SetFastModeCommand = {
  "id"?: string | number;
  "type": "set_fast_mode";
  "enabled": boolean;
};

/** Deliver one queued follow-up message at a time, or all at once. */
export type SetFollowUpModeCommand = {
  "id"?: string | number;
  "type": "set_follow_up_mode";
  "mode": QueueMode;
};

/** Register tools that the host executes, replacing the ones set before. Each has a name, a description and its parameters as JSON Schema. A call is sent to the host as host_tool_call and answered with host_tool_result. @experimental */
export type SetHostToolsCommand = {
  "id"?: string | number;
  "type": "set_host_tools";
  "tools": Array<unknown>;
};

/** Register URI schemes that the host resolves, replacing the ones set before. The read tool sends a `host_uri_request` for a URI such as `db://users/1`, and so does the write tool when the scheme is `writable`. The host answers with `host_uri_result`. @experimental */
export type SetHostUriSchemesCommand = {
  "id"?: string | number;
  "type": "set_host_uri_schemes";
  "schemes": Array<HostUriScheme>;
};

/** `immediate`: steering messages are delivered between the tool calls of a turn, and the remaining calls are skipped. `wait`: they are delivered only after the turn. */
export type SetInterruptModeCommand = {
  "id"?: string | number;
  "type": "set_interrupt_mode";
  "mode": InterruptMode;
};

/** Switch to a model. The choice is stored in the session; a request in progress finishes with the old model. Without `thinkingLevel` the session keeps its level. */
export type SetModelCommand = {
  "id"?: string | number;
  "type": "set_model";
  "provider": string;
  "modelId": string;
  "thinkingLevel"?: ThinkingLevel;
};

/** What the agent may do without asking, from the next tool call on. `full`: everything. `auto-edit`: read and change files. `ask`: read. `always`: nothing. `read-only`: read; other calls are denied. Subagents follow. It ends with the process, except on a server, where it belongs to the session. @experimental */
export type SetPermissionModeCommand = {
  "id"?: string | number;
  "type": "set_permission_mode";
  "mode": PermissionMode;
};

/** Set the display name of the current session. */
export type SetSessionNameCommand = {
  "id"?: string | number;
  "type": "set_session_name";
  "name": string;
};

/** Change settings of one scope, and remove those in `remove` from it. `user` and `project` write the file, which counts for sessions that are opened later; the project must be trusted, and cannot loosen what the user restricts. `session` applies from the next use on and ends with the process, except on a server, where it belongs to the session; settings that need a new session are refused by name, and those that restrict can only be made stricter, except `approval`, which works like set_permission_mode. One refused value refuses all. @experimental */
export type SetSettingsCommand = {
  "id"?: string | number;
  "type": "set_settings";
  "scope": "user" | "project" | "session";
  "settings"?: Record<string, unknown>;
  "remove"?: Array<string>;
};

/** Deliver one queued steering message per turn, or all at once. */
export type SetSteeringModeCommand = {
  "id"?: string | number;
  "type": "set_steering_mode";
  "mode": QueueMode;
};

/** Select which subagent events are sent: only start and end (`off`, the default), progress as well (`progress`), or also every event of their sessions (`events`). @experimental */
export type SetSubagentSubscriptionCommand = {
  "id"?: string | number;
  "type": "set_subagent_subscription";
  "level": "off" | "progress" | "events";
};

/** Set the thinking level. A level that the model does not support is replaced by the nearest supported one. */
export type SetThinkingLevelCommand = {
  "id"?: string | number;
  "type": "set_thinking_level";
  "level": ThinkingLevel;
};

/** Replace the todo list, in phases. It is stored with the session. The model is reminded of unfinished items according to the settings, and can replace the list with its own tool. @experimental */
export type SetTodosCommand = {
  "id"?: string | number;
  "type": "set_todos";
  "phases": Array<TodoPhase>;
};

/** End the program with exit code 0 after all frames are sent. `finish` completes the current run and its queued messages first; `abort` stops the run. Answered before the work is done. @experimental */
export type ShutdownCommand = {
  "id"?: string | number;
  "type": "shutdown";
  "mode"?: "finish" | "abort";
};

/** Start one task outside of a model’s turn, as the task tool does: with the same agents, limits, permissions and events. Answered when the subagent has started. Its result is not added to the conversation: see `includeEnded` of get_subagents, and get_subagent_messages. abort does not stop it; stop_subagent does, and so does the end of the session. @experimental */
export type StartSubagentCommand = {
  "id"?: string | number;
  "type": "start_subagent";
  "agent": string;
  "assignment": string;
  "description"?: string;
  "context"?: string;
  "isolated"?: boolean;
  "verify"?: boolean | string | VerificationRequest;
};

/** Queue a message that interrupts the run: it is sent to the model at the next point that the interrupt mode allows. Without a run it waits for the next prompt. */
export type SteerCommand = {
  "id"?: string | number;
  "type": "steer";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** Queue a message for a running subagent. It is sent to its model after the tool calls of the current turn. Answered when it is on disk. Refused when the subagent has ended, or its work is being verified. @experimental */
export type SteerSubagentCommand = {
  "id"?: string | number;
  "type": "steer_subagent";
  "subagentId": string;
  "message": string;
};

/** Stop one subagent and its own subagents. Other subagents and the run of the session go on; the task tool reports the subagent as stopped, with `reason`. Answered after its `subagent_end`. The change of an isolated subagent that had not finished is discarded. @experimental */
export type StopSubagentCommand = {
  "id"?: string | number;
  "type": "stop_subagent";
  "subagentId": string;
  "reason"?: string;
};

/** Lets a worker (`parley worker`) run a prompt in a copy of a repository, at a commit, and return the change as a patch. `repository` is a directory or a URL; without it the worker begins with an empty directory. `verify` are commands that must succeed afterwards. With a `submissionId` that was used before for the same work, that submission is returned and `isNew` is false. The id is also that of the session. Needs a database. @experimental */
export type SubmitCommand = {
  "id"?: string | number;
  "type": "submit";
  "prompt": string;
  "submissionId"?: string;
  "queue"?: string;
  "repository"?: string;
  "commit"?: string;
  "verify"?: Array<string>;
  "onFailure"?: VerificationOnFailure;
  "priority"?: number;
};

/** Switch to another session, given by its path or a prefix of its id. A run in progress is stopped first and sends its final events. On a server only this client moves, runs continue, and the events after the position `after` are sent first; with 0, a snapshot. */
export type SwitchSessionCommand = {
  "id"?: string | number;
  "type": "switch_session";
  "sessionPath": string;
  "after"?: number;
};

/** Start a new session with the conversation before one of the user messages, and return the text of that message. */
export type ForkCommand = {
  "id"?: string | number;
  "type": "fork";
  "entryId": string;
};

/** The user messages of all branches from which `branch` can start. */
export type GetForkMessagesCommand = {
  "id"?: string | number;
  "type": "get_fork_messages";
};

/** The complete partial result so far, in the form of a tool result. @experimental */
export type HostToolUpdate = {
  "type": "host_tool_update";
  "id": string;
  "partialResult": unknown;
};

/** @experimental */
export type HostToolResult = {
  "type": "host_tool_result";
  "id": string;
  "result": unknown;
  "isError"?: boolean;
};

export type ExtensionUiResponse = {
  "type": "extension_ui_response";
  "id": string;
  "value": string;
  "message"?: string;
} | {
  "type": "extension_ui_response";
  "id": string;
  "confirmed": boolean;
} | {
  "type": "extension_ui_response";
  "id": string;
  "cancelled": true;
  "timedOut"?: boolean;
};

export type HostUriResult = {
  "type": "host_uri_result";
  "id": string;
  /** Required when a `read` succeeds. */
  "content"?: string;
  "contentType"?: string;
  /** Shown to the model after the content. */
  "notes"?: Array<string>;
  "immutable"?: boolean;
  "isError"?: boolean;
  "error"?: string;
};

export type Ready = {
  "type": "ready";
  "version": string;
  "protocolVersion": 1;
  "dialect": "omp";
  "supportedProtocolVersions": Array<number>;
  "maxFrameBytes": number;
  "maxReassembledFrameBytes": number;
};

export type PromptResult = {
  "id"?: string | number;
  "type": "prompt_result";
  "agentInvoked": boolean;
  "status": "completed" | "aborted" | "error";
  "error"?: PromptError;
  "sessionSettled": boolean;
};

/** The agent reads or writes a URI of a scheme that the host has registered. */
export type HostUriRequest = {
  "type": "host_uri_request";
  "id": string;
  "operation": "read" | "write";
  "url": string;
  /** Present for `write`. */
  "content"?: string;
};

/** The run was aborted; a result for `targetId` is ignored. */
export type HostUriCancel = {
  "type": "host_uri_cancel";
  "id": string;
  "targetId": string;
};

export type RpcChunk = {
  "type": "rpc_chunk";
  "chunkId": string;
  "index": number;
  "count": number;
  "byteLength": number;
  "data": string;
};

export type RpcFrameError = {
  "type": "rpc_frame_error";
  "originalType": string;
  "error": string;
};

/** @experimental */
export type HostToolCall = {
  "type": "host_tool_call";
  "id": string;
  "toolCallId": string;
  "toolName": string;
  "arguments": Record<string, unknown>;
};

/** The run was aborted; a result for `targetId` is ignored. @experimental */
export type HostToolCancel = {
  "type": "host_tool_cancel";
  "id": string;
  "targetId": string;
};

export type ExtensionUiRequest = {
  "type": "extension_ui_request";
  "id": string;
  "method": "select";
  "title": string;
  "message"?: string;
  "options": Array<string>;
  "toolCall"?: {
    "toolCallId": string;
    "toolName": string;
    "args": Record<string, unknown>;
    "cwd": string;
    "diff"?: string;
    "rules"?: Array<string>;
    "sessionScope"?: string;
    "reason"?: string;
  };
  "by"?: "model";
  "timeout"?: number;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "confirm";
  "title": string;
  "message": string;
  "timeout"?: number;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "input";
  "title": string;
  "placeholder"?: string;
  "by"?: "model";
  "timeout"?: number;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "editor";
  "title": string;
  "prefill"?: string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "notify";
  "message": string;
  "notifyType"?: "info" | "warning" | "error";
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "setStatus";
  "statusKey": string;
  "statusText"?: string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "setWidget";
  "widgetKey": string;
  "widgetLines"?: Array<string>;
  "widgetPlacement"?: string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "setTitle";
  "title": string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "set_editor_text";
  "text": string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "open_url";
  "url": string;
  "instructions"?: string;
} | {
  "type": "extension_ui_request";
  "id": string;
  "method": "cancel";
  "targetId": string;
  "timedOut"?: true;
  "answeredBy"?: string;
};

export type AbortResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort";
  "success": true;
};

export type AbortAndPromptResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort_and_prompt";
  "success": true;
  "data": {
    "disposition": "started" | "queued" | "handled";
  };
};

export type AbortBashResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort_bash";
  "success": true;
};

export type AbortRetryResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort_retry";
  "success": true;
};

export type BashResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "bash";
  "success": true;
  "data": BashResult;
};

export type BranchResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "branch";
  "success": true;
  "data": {
    "text": string;
    "cancelled": boolean;
  };
};

export type CancelLoginResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "cancel_login";
  "success": true;
  "data": {
    "cancelled": boolean;
  };
};

export type CancelSubmissionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "cancel_submission";
  "success": true;
  "data": {
    "submission": {
      "id": string;
      "queue": string;
      "state": "queued" | "running" | "succeeded" | "failed" | "cancelled";
      "worker"?: string;
      "createdMs": number;
      "startedMs"?: number;
      "endedMs"?: number;
      "error"?: string;
    };
  };
};

export type ClearQueueResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "clear_queue";
  "success": true;
  "data": {
    "steering": Array<string>;
    "followUp": Array<string>;
  };
};

export type CloneResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "clone";
  "success": true;
  "data": {
    "cancelled": boolean;
  };
};

export type CompactResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "compact";
  "success": true;
  "data": CompactionResult;
};

export type ContinueRunResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "continue_run";
  "success": true;
  "data": {
    "disposition": "started";
  };
};

export type CycleModelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "cycle_model";
  "success": true;
  "data": {
    "model": Model;
    "thinkingLevel": ThinkingLevel;
    "isScoped": boolean;
  } | null;
};

export type CycleThinkingLevelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "cycle_thinking_level";
  "success": true;
  "data": {
    "level": ThinkingLevel;
  } | null;
};

export type EditQueuedMessageResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "edit_queued_message";
  "success": true;
  "data": {
    "disposition": "queued" | "handled";
  };
};

export type ExportHtmlResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "export_html";
  "success": true;
  "data": {
    "path": string;
  };
};

export type FindSessionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "find_session";
  "success": true;
  "data": {
    "session": {
      "id": string;
      "path": string;
      "cwd": string;
      "name"?: string;
      "firstPrompt": string;
      "createdMs": number;
      "modifiedMs": number;
      "messageCount": number;
      "cost": number;
      "bytes": number;
      "parentSession"?: string;
      "interrupted": boolean;
      "match"?: string;
    };
  };
};

export type FollowUpResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "follow_up";
  "success": true;
  "data": {
    "disposition": "started" | "queued" | "handled";
  };
};

export type GetAvailableCommandsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_available_commands";
  "success": true;
  "data": {
    "commands": Array<SlashCommandEntry>;
  };
};

export type GetAvailableModelsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_available_models";
  "success": true;
  "data": {
    "models": Array<Model>;
  };
};

export type GetAvailableThinkingLevelsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_available_thinking_levels";
  "success": true;
  "data": {
    "levels": Array<ThinkingLevel>;
  };
};

export type GetBranchMessagesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_branch_messages";
  "success": true;
  "data": {
    "messages": Array<{
      "entryId": string;
      "text": string;
    }>;
  };
};

export type GetCommandsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_commands";
  "success": true;
  "data": {
    "commands": Array<{
      "name": string;
      "description"?: string;
      "source": "extension" | "prompt" | "skill";
      "location"?: "user" | "project" | "path";
      "path"?: string;
      "baseDir"?: string;
    }>;
  };
};

export type GetContextBreakdownResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_context_breakdown";
  "success": true;
  "data": {
    "contextWindow": number;
    "tokens": number;
    "systemPrompt": {
      "tokens": number;
    };
    "contextFiles": Array<{
      "path": string;
      "tokens": number;
    }>;
    "tools": Array<{
      "name": string;
      "tokens": number;
    }>;
    "messages": {
      "count": number;
      "tokens": number;
    };
  };
};

export type GetEntriesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_entries";
  "success": true;
  "data": {
    "entries": Array<SessionEntry>;
    "leafId": string | null;
  };
};

export type GetLastAssistantTextResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_last_assistant_text";
  "success": true;
  "data": {
    "text": string | null;
  };
};

export type GetLoginProvidersResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_login_providers";
  "success": true;
  "data": {
    "providers": Array<{
      "id": string;
      "name": string;
      "available": boolean;
      "authenticated": boolean;
    }>;
  };
};

export type GetMcpServersResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_mcp_servers";
  "success": true;
  "data": {
    "servers": Array<{
      "name": string;
      "state": "connecting" | "connected" | "waiting" | "failed" | "sign_in_required";
      "toolCount": number;
      "problem"?: string;
    }>;
  };
};

export type GetMessagesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_messages";
  "success": true;
  "data": {
    "messages": Array<AgentMessage>;
  };
};

export type GetMessagesPageResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_messages_page";
  "success": true;
  "data": {
    "messages": Array<AgentMessage>;
    "totalMessages": number;
    "nextCursor"?: string;
  };
};

export type GetMessagesRangeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_messages_range";
  "success": true;
  "data": {
    "messages": Array<AgentMessage>;
    "start": number;
    "totalMessages": number;
    "sessionId": string;
  };
};

export type GetQueueResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_queue";
  "success": true;
  "data": {
    "items": Array<{
      "id": string;
      "kind": "steer" | "followUp";
      "text": string;
      "images": number;
    }>;
  };
};

export type GetSchemaResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_schema";
  "success": true;
  "data": {
    "dialect": string;
    "schema": Record<string, unknown>;
  };
};

export type GetSessionStatsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_session_stats";
  "success": true;
  "data": SessionStats;
};

export type GetSettingsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_settings";
  "success": true;
  "data": {
    "user"?: {
      "file": string;
      "settings": Record<string, unknown>;
    };
    "project"?: {
      "file": string;
      "trusted": boolean;
      "settings": Record<string, unknown>;
    };
    "session"?: {
      "settings": Record<string, unknown>;
    };
    "effective"?: Record<string, {
        "value"?: unknown;
        "source": "default" | "flag" | "start" | "user" | "project" | "session";
        "nextValue"?: unknown;
      }>;
  };
};

export type GetSettingsSchemaResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_settings_schema";
  "success": true;
  "data": {
    "settings": Array<{
      "name": string;
      "doc": string;
      "schema": Record<string, unknown>;
      "default"?: unknown;
      "restricts": boolean;
      "project": "replaces" | "restricts" | "ignored";
      "session": boolean;
    }>;
  };
};

export type GetStateResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_state";
  "success": true;
  "data": SessionState;
};

export type GetSubagentMessagesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_subagent_messages";
  "success": true;
  "data": {
    "sessionFile": string;
    "fromByte": number;
    "nextByte": number;
    "reset": boolean;
    "entries": Array<SessionHeader | SessionEntry>;
    "messages": Array<AgentMessage>;
  };
};

export type GetSubagentsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_subagents";
  "success": true;
  "data": {
    "subagents": Array<SubagentSnapshot>;
  };
};

export type GetSubmissionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_submission";
  "success": true;
  "data": {
    "submission": {
      "id": string;
      "queue": string;
      "state": "queued" | "running" | "succeeded" | "failed" | "cancelled";
      "worker"?: string;
      "createdMs": number;
      "startedMs"?: number;
      "endedMs"?: number;
      "error"?: string;
    };
    "result"?: {
      "status": "succeeded" | "failed" | "cancelled";
      "text": string;
      "error"?: string;
      "commit"?: string;
      "hasPatch": boolean;
      "verification"?: VerificationResult;
      "cost": number;
      "worker": string;
    };
  };
};

export type GetSubmissionPatchResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_submission_patch";
  "success": true;
  "data": {
    "base64"?: string;
  };
};

export type GetTreeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_tree";
  "success": true;
  "data": {
    "tree": Array<EntryTree>;
    "leafId": string | null;
  };
};

export type HandoffResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "handoff";
  "success": true;
  "data": {
    "savedPath"?: string;
  } | null;
};

export type ListArtifactsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "list_artifacts";
  "success": true;
  "data": {
    "artifacts": Array<{
      "id": string;
      "toolName": string;
      "bytes": number;
      "createdMs"?: number;
      "path": string;
    }>;
  };
};

export type ListModelsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "list_models";
  "success": true;
  "data": {
    "models": Array<{
      "provider": string;
      "id": string;
      "name": string;
      "reasoning": boolean;
      "thinkingLevels"?: Array<ThinkingLevel>;
      "input": Array<"text" | "image">;
      "contextWindow": number;
      "maxTokens": number;
      "cost": {
        "input": number;
        "output": number;
        "cacheRead": number;
        "cacheWrite": number;
      };
      "usable": boolean;
      "reason"?: string;
    }>;
    "providers": Array<{
      "id": string;
      "name": string;
      "hasCredentials": boolean;
      "reason"?: string;
    }>;
  };
};

export type ListSessionsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "list_sessions";
  "success": true;
  "data": {
    "sessions": Array<{
      "id": string;
      "path": string;
      "cwd": string;
      "name"?: string;
      "firstPrompt": string;
      "createdMs": number;
      "modifiedMs": number;
      "messageCount": number;
      "cost": number;
      "bytes": number;
      "parentSession"?: string;
      "interrupted": boolean;
      "match"?: string;
    }>;
    "nextCursor"?: string;
  };
};

export type ListSubmissionsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "list_submissions";
  "success": true;
  "data": {
    "submissions": Array<{
      "id": string;
      "queue": string;
      "state": "queued" | "running" | "succeeded" | "failed" | "cancelled";
      "worker"?: string;
      "createdMs": number;
      "startedMs"?: number;
      "endedMs"?: number;
      "error"?: string;
    }>;
  };
};

export type LoginResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "login";
  "success": true;
  "data": {
    "providerId": string;
  };
};

export type MoveQueuedMessageResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "move_queued_message";
  "success": true;
};

export type MoveSessionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "move_session";
  "success": true;
  "data": {
    "sessionId": string;
    "path": string;
    "cwd": string;
    "reopened": boolean;
  };
};

export type NegotiateProtocolResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "negotiate_protocol";
  "success": true;
  "data": {
    "protocolVersion": 2;
  };
};

export type NewSessionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "new_session";
  "success": true;
  "data": {
    "cancelled": boolean;
  };
};

export type OpenSessionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "open_session";
  "success": true;
  "data": {
    "cancelled": boolean;
    "resumed": boolean;
    "sessionId": string;
    "sessionFile"?: string;
  };
};

export type PromptResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "prompt";
  "success": true;
  "data": {
    "disposition": "started" | "queued" | "handled";
  };
};

export type ReadArtifactResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "read_artifact";
  "success": true;
  "data": {
    "text"?: string;
    "base64"?: string;
    "totalBytes": number;
    "nextOffset"?: number;
  };
};

export type RemoveQueuedMessageResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "remove_queued_message";
  "success": true;
  "data": {
    "text": string;
  };
};

export type ResumeSubagentResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "resume_subagent";
  "success": true;
};

export type SetAutoCompactionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_auto_compaction";
  "success": true;
};

export type SetAutoRetryResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_auto_retry";
  "success": true;
};

export type SetEventFilterResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_event_filter";
  "success": true;
  "data": {
    "events": Array<string> | null;
  };
};

export type SetFastModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_fast_mode";
  "success": true;
  "data": {
    "enabled": boolean;
    "active": boolean;
  };
};

export type SetFollowUpModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_follow_up_mode";
  "success": true;
};

export type SetHostToolsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_host_tools";
  "success": true;
  "data": {
    "toolNames": Array<string>;
  };
};

export type SetHostUriSchemesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_host_uri_schemes";
  "success": true;
  "data": {
    "schemes": Array<string>;
  };
};

export type SetInterruptModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_interrupt_mode";
  "success": true;
};

export type SetModelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_model";
  "success": true;
  "data": Model;
};

export type SetPermissionModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_permission_mode";
  "success": true;
  "data": {
    "mode": PermissionMode;
  };
};

export type SetSessionNameResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_session_name";
  "success": true;
};

export type SetSettingsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_settings";
  "success": true;
  "data": {
    "user"?: {
      "file": string;
      "settings": Record<string, unknown>;
    };
    "project"?: {
      "file": string;
      "trusted": boolean;
      "settings": Record<string, unknown>;
    };
    "session"?: {
      "settings": Record<string, unknown>;
    };
    "effective"?: Record<string, {
        "value"?: unknown;
        "source": "default" | "flag" | "start" | "user" | "project" | "session";
        "nextValue"?: unknown;
      }>;
  };
};

export type SetSteeringModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_steering_mode";
  "success": true;
};

export type SetSubagentSubscriptionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_subagent_subscription";
  "success": true;
  "data": {
    "level": "off" | "progress" | "events";
  };
};

export type SetThinkingLevelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_thinking_level";
  "success": true;
};

export type SetTodosResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_todos";
  "success": true;
  "data": {
    "todoPhases": Array<TodoPhase>;
  };
};

export type ShutdownResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "shutdown";
  "success": true;
};

export type StartSubagentResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "start_subagent";
  "success": true;
  "data": {
    "subagentId": string;
  };
};

export type SteerResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "steer";
  "success": true;
  "data": {
    "disposition": "started" | "queued" | "handled";
  };
};

export type SteerSubagentResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "steer_subagent";
  "success": true;
};

export type StopSubagentResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "stop_subagent";
  "success": true;
};

export type SubmitResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "submit";
  "success": true;
  "data": {
    "submission": {
      "id": string;
      "queue": string;
      "state": "queued" | "running" | "succeeded" | "failed" | "cancelled";
      "worker"?: string;
      "createdMs": number;
      "startedMs"?: number;
      "endedMs"?: number;
      "error"?: string;
    };
    "isNew": boolean;
  };
};

export type SwitchSessionResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "switch_session";
  "success": true;
  "data": {
    "cancelled": boolean;
  };
};

export type ForkResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "fork";
  "success": true;
  "data": {
    "text": string;
    "cancelled": boolean;
  };
};

export type GetForkMessagesResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_fork_messages";
  "success": true;
  "data": {
    "messages": Array<{
      "entryId": string;
      "text": string;
    }>;
  };
};

export type FailureResponse = {
  "id"?: string | number;
  "type": "response";
  "command": string;
  "success": false;
  "error": string;
  "code"?: string;
};

/** A run starts: the agent begins to work on a prompt. */
export type AgentStartEvent = {
  "type": "agent_start";
};

/** A run has ended. `messages` holds the messages of this run, not the whole history; `willRetry` is true when another run follows automatically. */
export type AgentEndEvent = {
  "type": "agent_end";
  "messages": Array<AgentMessage>;
  "willRetry": boolean;
};

/** Nothing automatic remains: no retry, no compaction, no queued continuation. The session waits for the host. */
export type AgentSettledEvent = {
  "type": "agent_settled";
  "aborted": boolean;
};

/** Sent after agent_settled and after the outcome of every prompt of the run, unless another prompt is about to start. @experimental */
export type SessionSettledEvent = {
  "type": "session_settled";
};

/** A turn starts: one answer of the model and its tool calls. */
export type TurnStartEvent = {
  "type": "turn_start";
};

/** A turn has ended, with the answer of the model and the results of its tool calls. */
export type TurnEndEvent = {
  "type": "turn_end";
  "message": AssistantMessage;
  "toolResults": Array<ToolResultMessage>;
};

/** A message starts. An assistant message starts empty. */
export type MessageStartEvent = {
  "type": "message_start";
  "message": AgentMessage;
};

/** An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. The values of an end event (`content`, `toolCall`) are final and replace the deltas before it, because a provider may correct what it streamed. */
export type MessageUpdateEvent = {
  "type": "message_update";
  "message": AssistantMessage;
  "assistantMessageEvent": StreamEvent;
};

/** A message is complete. It is on disk, unless the session is not persisted. */
export type MessageEndEvent = {
  "type": "message_end";
  "message": AgentMessage;
};

/** A tool call starts. */
export type ToolExecutionStartEvent = {
  "type": "tool_execution_start";
  "toolCallId": string;
  "toolName": string;
  /** The arguments as the model sent them. */
  "args": Record<string, unknown>;
};

/** A tool is working. `partialResult` is everything so far, not the difference. */
export type ToolExecutionUpdateEvent = {
  "type": "tool_execution_update";
  "toolCallId": string;
  "toolName": string;
  /** The arguments as the model sent them. */
  "args": Record<string, unknown>;
  "partialResult": {
    "content": Array<TextContent | ImageContent>;
    "details"?: unknown;
  };
};

/** A tool call has ended. `durationMs` is only sent in dialects that define it. */
export type ToolExecutionEndEvent = {
  "type": "tool_execution_end";
  "toolCallId": string;
  "toolName": string;
  "result": {
    "content": Array<TextContent | ImageContent>;
    "details"?: unknown;
  };
  "isError": boolean;
  "durationMs"?: number;
};

/** Automatic compaction starts: the context is close to the limit of the context window (`threshold`) or exceeds it (`overflow`). */
export type AutoCompactionStartEvent = {
  "type": "auto_compaction_start";
  "reason": "threshold" | "overflow";
};

/** Automatic compaction has ended. `result` is null when it was aborted or failed; `willRetry` is true when the rejected request is sent again. */
export type AutoCompactionEndEvent = {
  "type": "auto_compaction_end";
  "result": CompactionResult | null;
  "aborted": boolean;
  "willRetry": boolean;
  "errorMessage"?: string;
};

/** A requested compaction starts. */
export type CompactionStartEvent = {
  "type": "compaction_start";
  "reason": "manual";
};

/** A requested compaction has ended. `result` is null when it was aborted, refused or failed. */
export type CompactionEndEvent = {
  "type": "compaction_end";
  "reason": "manual";
  "result": CompactionResult | null;
  "aborted": boolean;
  "willRetry": boolean;
  "errorMessage"?: string;
};

/** The provider failed with a temporary error. Another run starts automatically after `delayMs` milliseconds. */
export type AutoRetryStartEvent = {
  "type": "auto_retry_start";
  "attempt": number;
  "maxAttempts": number;
  "delayMs": number;
  "errorMessage": string;
};

/** Retrying has ended: a request succeeded, all attempts failed, or the retry was cancelled. */
export type AutoRetryEndEvent = {
  "type": "auto_retry_end";
  "success": boolean;
  "attempt": number;
  "finalError"?: string;
};

/** The queued messages have changed. Contains the texts of both queues, oldest first. */
export type QueueUpdateEvent = {
  "type": "queue_update";
  "steering": Array<string>;
  "followUp": Array<string>;
};

/** The display name of the session has changed. */
export type SessionInfoChangedEvent = {
  "type": "session_info_changed";
  "name": string;
};

/** The thinking level has changed, from the next request on: it was set, or the new model does not support the previous level. */
export type ThinkingLevelChangedEvent = {
  "type": "thinking_level_changed";
  "level": ThinkingLevel;
};

/** The slash commands may have changed: extensions were reloaded, or the project is trusted now. The same list as that of get_available_commands, which hosts call first. @experimental */
export type AvailableCommandsUpdateEvent = {
  "type": "available_commands_update";
  "commands": Array<SlashCommandEntry>;
};

/** New output of a `bash` command, in order. `id` is the id of the call. A host that reads too slowly misses some updates; the response contains the end of the output. */
export type BashExecutionUpdateEvent = {
  "type": "bash_execution_update";
  "id"?: string | number;
  "delta": string;
};

/** A subagent starts to work on its task. Tasks that are refused or cancelled before that have no events. */
export type SubagentStartEvent = {
  "type": "subagent_start";
  "id": string;
  "agent": string;
  "isolated": boolean;
};

/** A subagent has ended, its work is verified and its worktree is removed. Sent exactly once for each subagent_start. When `exitCode` is not 0, the fields from `error` on give the reason and the location of its saved changes. */
export type SubagentEndEvent = {
  "type": "subagent_end";
  "id": string;
  "agent": string;
  "exitCode": number;
  "verification"?: VerificationResult;
  "error"?: string;
  "aborted"?: boolean;
  "abortReason"?: string;
  "patchPath"?: string;
  "nestedPatches"?: Array<{
    "path": string;
    "patchPath": string;
  }>;
  "newRepositories"?: Array<{
    "path": string;
    "keptPath": string;
  }>;
};

/** A verification attempt starts. */
export type SubagentVerificationStartEvent = {
  "type": "subagent_verification_start";
  "id": string;
  "attempt": number;
  "profile"?: string;
};

/** A verification command starts. */
export type SubagentVerificationCommandStartEvent = {
  "type": "subagent_verification_command_start";
  "id": string;
  "attempt": number;
  "commandName": string;
};

/** A verification command has ended. `artifactId` is the path of its output, if there was any. */
export type SubagentVerificationCommandEndEvent = {
  "type": "subagent_verification_command_end";
  "id": string;
  "attempt": number;
  "commandName": string;
  "exitCode": number;
  "durationMs": number;
  "artifactId"?: string;
};

/** A verification attempt has ended. The status is `budget_exceeded` when the budget stopped the attempt or the repair that would have followed. */
export type SubagentVerificationEndEvent = {
  "type": "subagent_verification_end";
  "id": string;
  "attempt": number;
  "status": "passed" | "failed" | "skipped" | "budget_exceeded";
};

/** A subagent has started or ended. Sent only to hosts that subscribed with set_subagent_subscription. @experimental */
export type SubagentLifecycleEvent = {
  "type": "subagent_lifecycle";
  "payload": SubagentLifecycle;
};

/** The progress of a subagent. Sent at a limited rate, only to hosts that subscribed with set_subagent_subscription. @experimental */
export type SubagentProgressEvent = {
  "type": "subagent_progress";
  "payload": SubagentProgressPayload;
};

/** A budget limit is nearly reached. Sent once for each dimension, at `task.budget.warnAtRatio` of its limit. */
export type BudgetWarningEvent = {
  "type": "budget_warning";
  "scope": BudgetScope;
  "snapshot": BudgetSnapshot;
};

/** A budget limit is reached. Sent once for each scope: the session accepts no more prompts, a call of the task tool starts no more subagents, or a subagent is stopped. */
export type BudgetExceededEvent = {
  "type": "budget_exceeded";
  "scope": BudgetScope;
  "snapshot": BudgetSnapshot;
};

/** The output of the model matched the trigger of one or more rules, and the request was aborted. The following agent_end has `willRetry: true`; another run starts automatically with a reminder of the rules. */
export type TtsrTriggeredEvent = {
  "type": "ttsr_triggered";
  "rules": Array<Rule>;
};

/** The model stopped with unfinished todo items. Another run starts automatically with a reminder of them. */
export type TodoReminderEvent = {
  "type": "todo_reminder";
  "todos": Array<TodoItem>;
  "attempt": number;
  "maxAttempts": number;
};

/** An extension failed. The agent continues without its result. */
export type ExtensionErrorEvent = {
  "type": "extension_error";
  "extensionPath": string;
  "event": string;
  "error": string;
};

/** A message for the user, for example that the disk is full. @experimental */
export type NoticeEvent = {
  "type": "notice";
  "level": "info" | "warning" | "error";
  "message": string;
  "source"?: string;
  "offset"?: number;
};

export type MessageUpdateDeltaEvent = {
  "type": "message_update";
  "assistantMessageEvent": {
    "type": "text_start";
    "contentIndex": number;
  } | {
    "type": "text_delta";
    "contentIndex": number;
    "delta": string;
  } | {
    "type": "text_end";
    "contentIndex": number;
    "content": string;
  } | {
    "type": "thinking_start";
    "contentIndex": number;
  } | {
    "type": "thinking_delta";
    "contentIndex": number;
    "delta": string;
  } | {
    "type": "thinking_end";
    "contentIndex": number;
    "content": string;
  } | {
    "type": "toolcall_start";
    "contentIndex": number;
    "id": string;
    "toolName": string;
  } | {
    "type": "toolcall_delta";
    "contentIndex": number;
    "delta": string;
  } | {
    "type": "toolcall_end";
    "contentIndex": number;
    "toolCall": ToolCall;
  };
};

/** An event of the session of a subagent, in the form its own host would receive. Sent only at the level `events` of set_subagent_subscription. @experimental */
export type SubagentEventEvent = {
  "type": "subagent_event";
  "payload": {
    "id": string;
    "event": AgentStartEvent | AgentEndEvent | AgentSettledEvent | SessionSettledEvent | TurnStartEvent | TurnEndEvent | MessageStartEvent | MessageUpdateEvent | MessageEndEvent | ToolExecutionStartEvent | ToolExecutionUpdateEvent | ToolExecutionEndEvent | AutoCompactionStartEvent | AutoCompactionEndEvent | CompactionStartEvent | CompactionEndEvent | AutoRetryStartEvent | AutoRetryEndEvent | QueueUpdateEvent | SessionInfoChangedEvent | ThinkingLevelChangedEvent | AvailableCommandsUpdateEvent | BashExecutionUpdateEvent | SubagentStartEvent | SubagentEndEvent | SubagentVerificationStartEvent | SubagentVerificationCommandStartEvent | SubagentVerificationCommandEndEvent | SubagentVerificationEndEvent | SubagentLifecycleEvent | SubagentProgressEvent | BudgetWarningEvent | BudgetExceededEvent | TtsrTriggeredEvent | TodoReminderEvent | ExtensionErrorEvent | NoticeEvent | MessageUpdateDeltaEvent;
  };
};

export type HostFrame = AbortCommand | AbortAndPromptCommand | AbortBashCommand | AbortRetryCommand | BashCommand | BranchCommand | CancelLoginCommand | CancelSubmissionCommand | ClearQueueCommand | CloneCommand | CompactCommand | ContinueRunCommand | CycleModelCommand | CycleThinkingLevelCommand | EditQueuedMessageCommand | ExportHtmlCommand | FindSessionCommand | FollowUpCommand | GetAvailableCommandsCommand | GetAvailableModelsCommand | GetAvailableThinkingLevelsCommand | GetBranchMessagesCommand | GetCommandsCommand | GetContextBreakdownCommand | GetEntriesCommand | GetLastAssistantTextCommand | GetLoginProvidersCommand | GetMcpServersCommand | GetMessagesCommand | GetMessagesPageCommand | GetMessagesRangeCommand | GetQueueCommand | GetSchemaCommand | GetSessionStatsCommand | GetSettingsCommand | GetSettingsSchemaCommand | GetStateCommand | GetSubagentMessagesCommand | GetSubagentsCommand | GetSubmissionCommand | GetSubmissionPatchCommand | GetTreeCommand | HandoffCommand | ListArtifactsCommand | ListModelsCommand | ListSessionsCommand | ListSubmissionsCommand | LoginCommand | MoveQueuedMessageCommand | MoveSessionCommand | NegotiateProtocolCommand | NewSessionCommand | OpenSessionCommand | PromptCommand | ReadArtifactCommand | RemoveQueuedMessageCommand | ResumeSubagentCommand | SetAutoCompactionCommand | SetAutoRetryCommand | SetEventFilterCommand | SetFastModeCommand | SetFollowUpModeCommand | SetHostToolsCommand | SetHostUriSchemesCommand | SetInterruptModeCommand | SetModelCommand | SetPermissionModeCommand | SetSessionNameCommand | SetSettingsCommand | SetSteeringModeCommand | SetSubagentSubscriptionCommand | SetThinkingLevelCommand | SetTodosCommand | ShutdownCommand | StartSubagentCommand | SteerCommand | SteerSubagentCommand | StopSubagentCommand | SubmitCommand | SwitchSessionCommand | ForkCommand | GetForkMessagesCommand | HostToolUpdate | HostToolResult | ExtensionUiResponse | HostUriResult;

export type AgentFrame = Ready | PromptResult | HostUriRequest | HostUriCancel | RpcChunk | RpcFrameError | HostToolCall | HostToolCancel | ExtensionUiRequest | AbortResponse | AbortAndPromptResponse | AbortBashResponse | AbortRetryResponse | BashResponse | BranchResponse | CancelLoginResponse | CancelSubmissionResponse | ClearQueueResponse | CloneResponse | CompactResponse | ContinueRunResponse | CycleModelResponse | CycleThinkingLevelResponse | EditQueuedMessageResponse | ExportHtmlResponse | FindSessionResponse | FollowUpResponse | GetAvailableCommandsResponse | GetAvailableModelsResponse | GetAvailableThinkingLevelsResponse | GetBranchMessagesResponse | GetCommandsResponse | GetContextBreakdownResponse | GetEntriesResponse | GetLastAssistantTextResponse | GetLoginProvidersResponse | GetMcpServersResponse | GetMessagesResponse | GetMessagesPageResponse | GetMessagesRangeResponse | GetQueueResponse | GetSchemaResponse | GetSessionStatsResponse | GetSettingsResponse | GetSettingsSchemaResponse | GetStateResponse | GetSubagentMessagesResponse | GetSubagentsResponse | GetSubmissionResponse | GetSubmissionPatchResponse | GetTreeResponse | HandoffResponse | ListArtifactsResponse | ListModelsResponse | ListSessionsResponse | ListSubmissionsResponse | LoginResponse | MoveQueuedMessageResponse | MoveSessionResponse | NegotiateProtocolResponse | NewSessionResponse | OpenSessionResponse | PromptResponse | ReadArtifactResponse | RemoveQueuedMessageResponse | ResumeSubagentResponse | SetAutoCompactionResponse | SetAutoRetryResponse | SetEventFilterResponse | SetFastModeResponse | SetFollowUpModeResponse | SetHostToolsResponse | SetHostUriSchemesResponse | SetInterruptModeResponse | SetModelResponse | SetPermissionModeResponse | SetSessionNameResponse | SetSettingsResponse | SetSteeringModeResponse | SetSubagentSubscriptionResponse | SetThinkingLevelResponse | SetTodosResponse | ShutdownResponse | StartSubagentResponse | SteerResponse | SteerSubagentResponse | StopSubagentResponse | SubmitResponse | SwitchSessionResponse | ForkResponse | GetForkMessagesResponse | FailureResponse | AgentStartEvent | AgentEndEvent | AgentSettledEvent | SessionSettledEvent | TurnStartEvent | TurnEndEvent | MessageStartEvent | MessageUpdateEvent | MessageEndEvent | ToolExecutionStartEvent | ToolExecutionUpdateEvent | ToolExecutionEndEvent | AutoCompactionStartEvent | AutoCompactionEndEvent | CompactionStartEvent | CompactionEndEvent | AutoRetryStartEvent | AutoRetryEndEvent | QueueUpdateEvent | SessionInfoChangedEvent | ThinkingLevelChangedEvent | AvailableCommandsUpdateEvent | BashExecutionUpdateEvent | SubagentStartEvent | SubagentEndEvent | SubagentVerificationStartEvent | SubagentVerificationCommandStartEvent | SubagentVerificationCommandEndEvent | SubagentVerificationEndEvent | SubagentLifecycleEvent | SubagentProgressEvent | BudgetWarningEvent | BudgetExceededEvent | TtsrTriggeredEvent | TodoReminderEvent | ExtensionErrorEvent | NoticeEvent | MessageUpdateDeltaEvent | SubagentEventEvent;

export type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CustomMessage | CompactionSummaryMessage | BranchSummaryMessage;

export type AssistantContent = Array<TextContent | ThinkingContent | ToolCall>;

export type AssistantMessage = {
  "role": "assistant";
  "content": AssistantContent;
  "api": string;
  "provider": string;
  "model": string;
  "usage": Usage;
  "stopReason": StopReason;
  "errorMessage"?: string;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

/** Files that legacy hosts send beside the text. */
export type Attachment = {
  "id": string;
  "type": "image" | "document";
  "fileName": string;
  "mimeType": string;
  "size": number;
  "content": string;
  "extractedText"?: string | null;
  "preview"?: string | null;
};

/** A command that the host ran with `bash`, not the model. */
export type BashExecutionMessage = {
  "role": "bashExecution";
  "command": string;
  "output": string;
  "exitCode"?: number;
  "cancelled": boolean;
  "truncated": boolean;
  "artifactId"?: string;
  "excludeFromContext"?: boolean;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

/** The result of a `bash` command. Counts are of the whole output (`total…`) and of the part in `output` (`output…`). */
export type BashResult = {
  "output": string;
  /** Absent when the command was cancelled before it could exit. */
  "exitCode"?: number;
  "cancelled": boolean;
  "truncated": boolean;
  "totalLines": number;
  "totalBytes": number;
  "outputLines": number;
  "outputBytes": number;
  /** Id of the artifact with the whole output; the read tool opens it as `artifact://ID`. */
  "artifactId"?: string;
  /** Path of the file with the whole output. */
  "fullOutputPath"?: string;
};

export type BranchSummaryMessage = {
  "role": "branchSummary";
  "summary": string;
  "fromId": string;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

/** In order of precedence: when several limits are exceeded at once, the first one is reported. */
export type BudgetReason = "wall_time" | "input_tokens" | "output_tokens" | "total_tokens" | "cost" | "tool_calls" | "subagents";

/** The owner of the limit: the session, one call of the task tool, or one subagent. */
export type BudgetScope = "session" | "task" | "subagent";

export type BudgetSnapshot = {
  "status": "ok" | "warning" | "exceeded";
  /** Total run time; the time between runs does not count. */
  "wallTimeMs": number;
  "inputTokens": number;
  "outputTokens": number;
  "totalTokens": number;
  /** US dollars. */
  "costUsd": number;
  "toolCalls": number;
  "subagents": number;
  /** The limit that the event reports. */
  "reason"?: BudgetReason;
};

export type CompactionResult = {
  "summary": string;
  "firstKeptEntryId": string;
  "tokensBefore": number;
  /** `readFiles` and `modifiedFiles`, unless an extension made the summary. */
  "details": unknown;
  /** Estimated size of the context after compaction, in tokens. */
  "estimatedTokensAfter"?: number;
  /** Token usage of the summary request; absent when an extension provided the summary. */
  "usage"?: Usage;
};

export type CompactionSummaryMessage = {
  "role": "compactionSummary";
  "summary": string;
  "tokensBefore": number;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

/** A message that an extension or the agent itself adds to the context. */
export type CustomMessage = {
  "role": "custom";
  "customType": string;
  "content": string | UserContent;
  "display": boolean;
  "details"?: unknown;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

export type EntryTree = {
  "entry": SessionEntry;
  "children": Array<EntryTree>;
  "label"?: string;
  "labelTimestamp"?: string;
};

/** A URI scheme that the host resolves, such as `db` for db://users/1. */
export type HostUriScheme = {
  "scheme": string;
  "description"?: string;
  /** The write tool may write URIs of this scheme. */
  "writable"?: boolean;
  "immutable"?: boolean;
};

/** An image inside a message: bytes are always kept flat, a URL stays a URL. */
export type ImageContent = {
  "type": "image";
  "data": string;
  "mimeType": string;
} | {
  "type": "image";
  "source": {
    "type": "url";
    "url": string;
  };
};

/** An image as hosts send it: flat, base64 `source`, or URL `source`; read into the flat or the URL form. */
export type IncomingImage = {
  "type": "image";
  "data": string;
  "mimeType": string;
} | {
  "type": "image";
  "source": {
    "type": "base64";
    "mediaType": string;
    "data": string;
  } | {
    "type": "url";
    "url": string;
  };
};

export type InterruptMode = "immediate" | "wait";

export type Model = {
  "id": string;
  "name": string;
  /** The wire format of its API, for example `anthropic-messages`. */
  "api": string;
  "provider": string;
  "baseUrl": string;
  "reasoning": boolean;
  "input": Array<"text" | "image">;
  "contextWindow": number;
  "maxTokens": number;
  /** US dollars for a million tokens. */
  "cost": {
    "input": number;
    "output": number;
    "cacheRead": number;
    "cacheWrite": number;
  };
  /** The supported thinking levels, when they differ from the default ones for its `reasoning` flag. */
  "thinkingLevels"?: Array<ThinkingLevel>;
  "headers"?: Record<string, string>;
};

export type PermissionMode = "read-only" | "always" | "ask" | "auto-edit" | "full";

/** Why a prompt failed. */
export type PromptError = {
  "message": string;
  "provider"?: string;
  /** Id of the model. */
  "model"?: string;
  /** HTTP status of the provider's response. */
  "httpStatus"?: number;
  /** The same prompt could succeed later. Automatic retries are already used up. */
  "retryable": boolean;
};

export type QueueMode = "all" | "one-at-a-time";

export type Rule = {
  "name": string;
  "path": string;
  "content": string;
  "globs"?: Array<string>;
  "alwaysApply"?: boolean;
  "description"?: string;
  /** Regular expression; when the output of the model matches it, the request is aborted. */
  "ttsrTrigger"?: string;
  /** The file that the rule was loaded from. */
  "_source": {
    "provider": string;
    "providerName": string;
    "path": string;
    "level": "user" | "project";
  };
};

/** Unknown fields and entry types are kept unchanged, because other programs write to these files too. */
export type SessionEntry = {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "message";
  "message": AgentMessage;
  /** The queued message that this one delivers; see the `parley.queue` custom entries. */
  "queueId"?: string;
  /** Of an answer with tool calls: the id of the session whose log has a `parley.tool_start` entry for each call that was started. */
  "startsRecordedIn"?: string;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "thinking_level_change";
  "thinkingLevel": ThinkingLevel;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "model_change";
  "provider": string;
  "modelId": string;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "compaction";
  "summary": string;
  "firstKeptEntryId": string;
  "tokensBefore": number;
  "details"?: unknown;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "branch_summary";
  "fromId": string;
  "summary": string;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "custom";
  "customType": string;
  "data"?: unknown;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "custom_message";
  "customType": string;
  "content": string | Array<unknown>;
  "display"?: unknown;
  "details"?: unknown;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "label";
  "targetId": string;
  "label"?: string;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "ttsr_injection";
  "injectedRules": Array<string>;
} | {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "session_info";
  "name"?: string;
};

export type SessionHeader = {
  "type": "session";
  "version"?: number;
  "id": string;
  "timestamp": string;
  "cwd": string;
  "parentSession"?: string;
  /** The file of the session before it was moved to another working directory. */
  "movedFrom"?: string;
};

export type SessionState = {
  "model": Model | null;
  "thinkingLevel": ThinkingLevel;
  "isStreaming": boolean;
  "isCompacting": boolean;
  /** No run is in progress and nothing automatic follows the last one: `agent_settled` has been sent. */
  "isSettled": boolean;
  /** True when the session was opened with a log whose last run has not ended, because the program was killed: see continue_run. */
  "isInterrupted"?: boolean;
  "steeringMode": QueueMode;
  "followUpMode": QueueMode;
  "interruptMode": InterruptMode;
  /** Absent with `--no-session`. Present before the file exists: the file is created with the first acknowledged change. */
  "sessionFile"?: string;
  "sessionId": string;
  "sessionName"?: string;
  /** Whether the project is trusted, so that its settings, extensions, skills, rules and agents are used. */
  "trusted": boolean;
  /** What the agent may do without asking. */
  "permissionMode": PermissionMode;
  "autoCompactionEnabled": boolean;
  /** The host has enabled fast mode. */
  "fastModeEnabled": boolean;
  /** Fast mode is enabled, and the current model supports it. */
  "fastModeActive": boolean;
  /** Output tokens per second of the last answer; null before the first one. */
  "tokensPerSecond": number | null;
  "messageCount": number;
  "queuedMessageCount": number;
  /** The same number under the name that pi's hosts read. */
  "pendingMessageCount": number;
  /** The todo list, grouped by phase. */
  "todoPhases": Array<TodoPhase>;
};

export type SessionStats = {
  "sessionFile"?: string;
  "sessionId": string;
  "userMessages": number;
  "assistantMessages": number;
  "toolCalls": number;
  "toolResults": number;
  "totalMessages": number;
  "tokens": {
    "input": number;
    "output": number;
    "cacheRead": number;
    "cacheWrite": number;
    "total": number;
  };
  "cost": number;
  /** Use of the context window; absent without a model. */
  "contextUsage"?: {
    "tokens": number;
    "contextWindow": number;
    "percent": number;
  };
};

export type SlashCommandEntry = {
  "name": string;
  "description"?: string;
  /** omp calls prompt templates `file`. */
  "source": "extension" | "file" | "skill";
};

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** The events that `message_update` contains. */
export type StreamEvent = {
  "type": "text_start";
  "contentIndex": number;
  "partial": AssistantMessage;
} | {
  "type": "text_delta";
  "contentIndex": number;
  "delta": string;
  "partial": AssistantMessage;
} | {
  "type": "text_end";
  "contentIndex": number;
  "content": string;
  "partial": AssistantMessage;
} | {
  "type": "thinking_start";
  "contentIndex": number;
  "partial": AssistantMessage;
} | {
  "type": "thinking_delta";
  "contentIndex": number;
  "delta": string;
  "partial": AssistantMessage;
} | {
  "type": "thinking_end";
  "contentIndex": number;
  "content": string;
  "partial": AssistantMessage;
} | {
  "type": "toolcall_start";
  "contentIndex": number;
  "partial": AssistantMessage;
} | {
  "type": "toolcall_delta";
  "contentIndex": number;
  "delta": string;
  "partial": AssistantMessage;
} | {
  "type": "toolcall_end";
  "contentIndex": number;
  "toolCall": ToolCall;
  "partial": AssistantMessage;
};

export type SubagentLifecycle = {
  "id": string;
  "index": number;
  "agent": string;
  "agentSource": "bundled" | "user" | "project";
  "sessionFile"?: string;
  "parentToolCallId"?: string;
  "description"?: string;
  "status": "started" | "completed" | "failed" | "aborted";
  /** `budget_exceeded` when the budget stopped it, `stopped` when the host stopped it alone. */
  "abortReason"?: string;
};

export type SubagentProgress = {
  "index": number;
  "id": string;
  "agent": string;
  "status": "pending" | "running" | "completed" | "failed" | "aborted";
  "currentTool"?: string;
  "recentTools": Array<{
    "tool": string;
    "args": string;
    "endMs": number;
  }>;
  "recentOutput": Array<string>;
  "toolCount": number;
  "tokens": number;
  "durationMs": number;
};

export type SubagentProgressPayload = {
  "index": number;
  "agent": string;
  "agentSource": "bundled" | "user" | "project";
  "sessionFile"?: string;
  "parentToolCallId"?: string;
  /** The full prompt of the subagent. */
  "task": string;
  "assignment"?: string;
  "progress": SubagentProgress;
};

/** A running subagent, or one that has ended. */
export type SubagentSnapshot = {
  "id": string;
  "index": number;
  "agent": string;
  "agentSource": "bundled" | "user" | "project";
  "sessionFile"?: string;
  "parentToolCallId"?: string;
  "description"?: string;
  "status": "pending" | "running" | "completed" | "failed" | "aborted";
  "task"?: string;
  "assignment"?: string;
  /** Milliseconds since 1970. */
  "lastUpdate": number;
  "progress"?: SubagentProgress;
  /** This field and those that follow: only if it has ended. If it was continued, the numbers are those of all its runs. */
  "isolated"?: boolean;
  "durationMs"?: number;
  "tokens"?: number;
  /** US dollars. */
  "cost"?: number;
  "error"?: string;
  "abortReason"?: string;
  "outputPath"?: string;
  "patchPath"?: string;
  "branchName"?: string;
  "applied"?: boolean;
  "verification"?: VerificationResult;
};

export type TextContent = {
  "type": "text";
  "text": string;
  /** Opaque provider signature; stored and sent back to the same provider. */
  "textSignature"?: string;
};

export type ThinkingContent = {
  "type": "thinking";
  "thinking": string;
  "thinkingSignature"?: string;
  /** The provider redacted the text; only the signature is meaningful. */
  "redacted"?: true;
};

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

export type TodoItem = {
  "id": string;
  "content": string;
  /** Text to display while the item is in progress. */
  "activeForm": string;
  /** The model sets only the first three; hosts may also set `abandoned` and `blocked`. */
  "status": "pending" | "in_progress" | "completed" | "abandoned" | "blocked";
  /** The phase that the item belongs to, when the host defined phases. */
  "phase"?: string;
};

/** A phase with its items, as hosts send it. */
export type TodoPhase = {
  "name": string;
  "tasks": Array<{
    "id"?: string;
    "content": string;
    "status": "pending" | "in_progress" | "completed" | "abandoned" | "blocked";
  }>;
};

export type ToolCall = {
  "type": "toolCall";
  "id": string;
  "name": string;
  "arguments": Record<string, unknown>;
  "thoughtSignature"?: string;
};

export type ToolResultMessage = {
  "role": "toolResult";
  "toolCallId": string;
  "toolName": string;
  "content": UserContent;
  "details"?: unknown;
  "isError": boolean;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

export type Usage = {
  "input": number;
  "output": number;
  "cacheRead": number;
  "cacheWrite": number;
  /** The sum of the four counts. Present when the answer is complete. */
  "totalTokens"?: number;
  "cost": {
    "input": number;
    "output": number;
    "cacheRead": number;
    "cacheWrite": number;
    "total": number;
  };
};

export type UserContent = Array<TextContent | ImageContent>;

export type UserMessage = {
  "role": "user";
  "content": string | UserContent;
  "attachments"?: Array<Attachment>;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

export type VerificationAttempt = {
  "attempt": number;
  "status": "passed" | "failed" | "skipped";
  /** Milliseconds since 1970. */
  "startedAt": number;
  "endedAt": number;
  "commandResults": Array<VerificationCommandResult>;
  "error"?: string;
};

export type VerificationCommandResult = {
  "name": string;
  "command": string;
  "exitCode": number;
  "durationMs": number;
  "optional"?: boolean;
  "timedOut"?: boolean;
  /** Path of the complete output; absent when there was none. */
  "artifactPath"?: string;
  /** The last lines of stdout and stderr. */
  "outputPreview"?: string;
};

export type VerificationOnFailure = "return_failure" | "retry_once" | "discard_patch";

/** The commands that the work of a task must pass: a profile of the settings, or fields that override those of the profile. */
export type VerificationRequest = {
  "profile"?: string;
  "mode"?: string;
  "commands"?: Array<unknown>;
  "lspDiagnostics"?: boolean;
  "maxRetries"?: number;
  "onFailure"?: VerificationOnFailure;
};

export type VerificationResult = {
  "requested": boolean;
  "profile"?: string;
  "mode"?: "none" | "command";
  "status": "not_requested" | "passed" | "failed" | "skipped";
  "attempts": Array<VerificationAttempt>;
  "retriesUsed": number;
  "onFailure"?: VerificationOnFailure;
};
