// The pi dialect of Parley. Generated from the declarations; do not edit.

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type PromptCommand = {
  "id"?: string | number;
  "type": "prompt";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
  "streamingBehavior"?: "steer" | "followUp";
};

/** Queue a message that interrupts the run: it is sent to the model at the next point that the interrupt mode allows. Without a run it waits for the next prompt. */
export type SteerCommand = {
  "id"?: string | number;
  "type": "steer";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** Queue a message that is sent when the run would otherwise end, also after an error. Without a run it waits for the next run. */
export type FollowUpCommand = {
  "id"?: string | number;
  "type": "follow_up";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt. */
export type AbortCommand = {
  "id"?: string | number;
  "type": "abort";
};

/** Start a new session. A run in progress is stopped first and sends its final events. */
export type NewSessionCommand = {
  "id"?: string | number;
  "type": "new_session";
  "parentSession"?: string;
};

/** The current state of the session. */
export type GetStateCommand = {
  "id"?: string | number;
  "type": "get_state";
};

/** The available slash commands: extension commands, prompt templates and skills. */
export type GetCommandsCommand = {
  "id"?: string | number;
  "type": "get_commands";
};

/** All messages of the current conversation. */
export type GetMessagesCommand = {
  "id"?: string | number;
  "type": "get_messages";
};

/** The text of the last assistant message, or null when there is none. */
export type GetLastAssistantTextCommand = {
  "id"?: string | number;
  "type": "get_last_assistant_text";
};

/** Switch to another session, given by its path or a prefix of its id. A run in progress is stopped first and sends its final events. On a server only this client moves, runs continue, and the events after the position `after` are sent first; with 0, a snapshot. */
export type SwitchSessionCommand = {
  "id"?: string | number;
  "type": "switch_session";
  "sessionPath": string;
  "after"?: number;
};

/** Copy the current conversation to a new session and continue there. The old session is not changed. */
export type CloneCommand = {
  "id"?: string | number;
  "type": "clone";
};

/** The entries of the session log in the order they were written; those after `since` when it is given. */
export type GetEntriesCommand = {
  "id"?: string | number;
  "type": "get_entries";
  "since"?: string;
};

/** The entries of the session log as a tree, and the current leaf. */
export type GetTreeCommand = {
  "id"?: string | number;
  "type": "get_tree";
};

/** Export the session as one self-contained HTML file. Without a path, a new file is created in the working directory; existing files are not overwritten. */
export type ExportHtmlCommand = {
  "id"?: string | number;
  "type": "export_html";
  "outputPath"?: string;
};

/** Switch to a model. The choice is stored in the session; a request in progress finishes with the old model. Without `thinkingLevel` the session keeps its level. */
export type SetModelCommand = {
  "id"?: string | number;
  "type": "set_model";
  "provider": string;
  "modelId": string;
  "thinkingLevel"?: ThinkingLevel;
};

/** Switch to the next of the models given with --models, otherwise of all available models. `null` when there is no other model. */
export type CycleModelCommand = {
  "id"?: string | number;
  "type": "cycle_model";
};

/** The models that can be used now: those with credentials, and the offline model. */
export type GetAvailableModelsCommand = {
  "id"?: string | number;
  "type": "get_available_models";
};

/** Set the thinking level. A level that the model does not support is replaced by the nearest supported one. */
export type SetThinkingLevelCommand = {
  "id"?: string | number;
  "type": "set_thinking_level";
  "level": ThinkingLevel;
};

/** Switch to the next thinking level of the model, cyclically. `null` when the model does not support thinking. */
export type CycleThinkingLevelCommand = {
  "id"?: string | number;
  "type": "cycle_thinking_level";
};

/** The thinking levels that the current model supports. */
export type GetAvailableThinkingLevelsCommand = {
  "id"?: string | number;
  "type": "get_available_thinking_levels";
};

/** Deliver one queued steering message per turn, or all at once. */
export type SetSteeringModeCommand = {
  "id"?: string | number;
  "type": "set_steering_mode";
  "mode": QueueMode;
};

/** Deliver one queued follow-up message at a time, or all at once. */
export type SetFollowUpModeCommand = {
  "id"?: string | number;
  "type": "set_follow_up_mode";
  "mode": QueueMode;
};

/** Remove all queued messages and return their texts. */
export type ClearQueueCommand = {
  "id"?: string | number;
  "type": "clear_queue";
};

/** Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events. `keepMessages` is the number of newest messages that are not summarised; without it the token limit of the settings applies. */
export type CompactCommand = {
  "id"?: string | number;
  "type": "compact";
  "customInstructions"?: string;
  "keepMessages"?: number;
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

/** Stop all commands that were started with `bash`. The bash tool calls of the model are stopped with `abort`. */
export type AbortBashCommand = {
  "id"?: string | number;
  "type": "abort_bash";
};

/** Message counts, token usage and cost of the conversation. */
export type GetSessionStatsCommand = {
  "id"?: string | number;
  "type": "get_session_stats";
};

/** Set the display name of the current session. */
export type SetSessionNameCommand = {
  "id"?: string | number;
  "type": "set_session_name";
  "name": string;
};

/** Register tools that the host executes, replacing the ones set before. Each has a name, a description and its parameters as JSON Schema. A call is sent to the host as host_tool_call and answered with host_tool_result. @experimental */
export type SetHostToolsCommand = {
  "id"?: string | number;
  "type": "set_host_tools";
  "tools": Array<unknown>;
};

/** Send only these events from now on; null removes the filter. Some events are sent only when they are listed here: queue_update, bash_execution_update. Responses, UI requests, `prompt_result`, `session_settled` and the events of set_subagent_subscription are always sent. @experimental */
export type SetEventFilterCommand = {
  "id"?: string | number;
  "type": "set_event_filter";
  "events": Array<string> | null;
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

export type SteerResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "steer";
  "success": true;
  "data": {
    "disposition": "started" | "queued" | "handled";
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

export type AbortResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort";
  "success": true;
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

export type GetStateResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_state";
  "success": true;
  "data": SessionState;
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
      "sourceInfo": {
        "path": string;
        "source": "cli" | "auto";
        "scope": "user" | "project" | "temporary";
        "origin": "package" | "top-level";
        "baseDir"?: string;
      };
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

export type GetLastAssistantTextResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_last_assistant_text";
  "success": true;
  "data": {
    "text": string | null;
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

export type CloneResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "clone";
  "success": true;
  "data": {
    "cancelled": boolean;
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

export type ExportHtmlResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "export_html";
  "success": true;
  "data": {
    "path": string;
  };
};

export type SetModelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_model";
  "success": true;
  "data": Model;
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

export type GetAvailableModelsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_available_models";
  "success": true;
  "data": {
    "models": Array<Model>;
  };
};

export type SetThinkingLevelResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_thinking_level";
  "success": true;
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

export type GetAvailableThinkingLevelsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_available_thinking_levels";
  "success": true;
  "data": {
    "levels": Array<ThinkingLevel>;
  };
};

export type SetSteeringModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_steering_mode";
  "success": true;
};

export type SetFollowUpModeResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_follow_up_mode";
  "success": true;
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

export type CompactResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "compact";
  "success": true;
  "data": CompactionResult;
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

export type AbortBashResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "abort_bash";
  "success": true;
};

export type GetSessionStatsResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "get_session_stats";
  "success": true;
  "data": SessionStats;
};

export type SetSessionNameResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_session_name";
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

export type SetEventFilterResponse = {
  "id"?: string | number;
  "type": "response";
  "command": "set_event_filter";
  "success": true;
  "data": {
    "events": Array<string> | null;
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
  "message": {
    "role": "assistant";
    "content": AssistantContent;
    "api": string;
    "provider": string;
    "model": string;
    "usage": Usage;
    "stopReason": "stop" | "length" | "toolUse" | "error" | "aborted" | "pending";
    "errorMessage"?: string;
    "timestamp": number;
  } | UserMessage | ToolResultMessage | BashExecutionMessage | CustomMessage | CompactionSummaryMessage | BranchSummaryMessage;
};

/** An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. The values of an end event (`content`, `toolCall`) are final and replace the deltas before it, because a provider may correct what it streamed. */
export type MessageUpdateEvent = {
  "type": "message_update";
  "usage": Usage;
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

/** A requested compaction starts. */
export type CompactionStartEvent = {
  "type": "compaction_start";
  "reason": "manual" | "threshold" | "overflow";
};

/** A requested compaction has ended. `result` is null when it was aborted, refused or failed. */
export type CompactionEndEvent = {
  "type": "compaction_end";
  "reason": "manual" | "threshold" | "overflow";
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

/** New output of a `bash` command, in order. `id` is the id of the call. A host that reads too slowly misses some updates; the response contains the end of the output. */
export type BashExecutionUpdateEvent = {
  "type": "bash_execution_update";
  "id"?: string | number;
  "delta": string;
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

export type HostFrame = PromptCommand | SteerCommand | FollowUpCommand | AbortCommand | NewSessionCommand | GetStateCommand | GetCommandsCommand | GetMessagesCommand | GetLastAssistantTextCommand | SwitchSessionCommand | CloneCommand | GetEntriesCommand | GetTreeCommand | ExportHtmlCommand | SetModelCommand | CycleModelCommand | GetAvailableModelsCommand | SetThinkingLevelCommand | CycleThinkingLevelCommand | GetAvailableThinkingLevelsCommand | SetSteeringModeCommand | SetFollowUpModeCommand | ClearQueueCommand | CompactCommand | SetAutoCompactionCommand | SetAutoRetryCommand | AbortRetryCommand | BashCommand | AbortBashCommand | GetSessionStatsCommand | SetSessionNameCommand | SetHostToolsCommand | SetEventFilterCommand | ForkCommand | GetForkMessagesCommand | HostToolUpdate | HostToolResult | ExtensionUiResponse;

export type AgentFrame = HostToolCall | HostToolCancel | ExtensionUiRequest | PromptResponse | SteerResponse | FollowUpResponse | AbortResponse | NewSessionResponse | GetStateResponse | GetCommandsResponse | GetMessagesResponse | GetLastAssistantTextResponse | SwitchSessionResponse | CloneResponse | GetEntriesResponse | GetTreeResponse | ExportHtmlResponse | SetModelResponse | CycleModelResponse | GetAvailableModelsResponse | SetThinkingLevelResponse | CycleThinkingLevelResponse | GetAvailableThinkingLevelsResponse | SetSteeringModeResponse | SetFollowUpModeResponse | ClearQueueResponse | CompactResponse | SetAutoCompactionResponse | SetAutoRetryResponse | AbortRetryResponse | BashResponse | AbortBashResponse | GetSessionStatsResponse | SetSessionNameResponse | SetHostToolsResponse | SetEventFilterResponse | ForkResponse | GetForkMessagesResponse | FailureResponse | AgentStartEvent | AgentEndEvent | AgentSettledEvent | TurnStartEvent | TurnEndEvent | MessageStartEvent | MessageUpdateEvent | MessageEndEvent | ToolExecutionStartEvent | ToolExecutionUpdateEvent | ToolExecutionEndEvent | CompactionStartEvent | CompactionEndEvent | AutoRetryStartEvent | AutoRetryEndEvent | QueueUpdateEvent | SessionInfoChangedEvent | ThinkingLevelChangedEvent | BashExecutionUpdateEvent | ExtensionErrorEvent | NoticeEvent;

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

export type QueueMode = "all" | "one-at-a-time";

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

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

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
