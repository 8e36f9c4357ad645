// The pi dialect of Parley. Generated from the declarations; do not edit.

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. While a run is going, `streamingBehavior` says how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that wait in the queue since an aborted run, or since the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type PromptCommand = {
  "id"?: string | number;
  "type": "prompt";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
  "streamingBehavior"?: "steer" | "followUp";
};

/** Queue a message that interrupts the run: it is given to the model at the next opportunity that the interrupt mode allows. Without a run it waits for the next prompt. */
export type SteerCommand = {
  "id"?: string | number;
  "type": "steer";
  "message": string;
  "images"?: Array<IncomingImage>;
  "attachments"?: Array<Attachment>;
};

/** Queue a message for when the run would otherwise be over, also when it ends in an error. Without a run it waits for the next one. */
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

/** Start a fresh conversation. A run that is going ends first, with its last events. */
export type NewSessionCommand = {
  "id"?: string | number;
  "type": "new_session";
  "parentSession"?: string;
};

/** The state of the session at this moment. */
export type GetStateCommand = {
  "id"?: string | number;
  "type": "get_state";
};

/** The words with a slash that a prompt may begin with: commands of extensions, prompt templates and skills. */
export type GetCommandsCommand = {
  "id"?: string | number;
  "type": "get_commands";
};

/** All messages of the conversation as it stands. */
export type GetMessagesCommand = {
  "id"?: string | number;
  "type": "get_messages";
};

/** The text of the newest answer, or null when there is none. */
export type GetLastAssistantTextCommand = {
  "id"?: string | number;
  "type": "get_last_assistant_text";
};

/** Go on with another session: a path, or the beginning of its id. A run that is going ends first, with its last events. */
export type SwitchSessionCommand = {
  "id"?: string | number;
  "type": "switch_session";
  "sessionPath": string;
};

/** Go on in a new session that holds the conversation as it stands; the old one stays as it is. */
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

/** The entries of the session log as a tree, and where the conversation stands. */
export type GetTreeCommand = {
  "id"?: string | number;
  "type": "get_tree";
};

/** Write the session as one self-contained page. Without a path it goes into the working directory, never over a file. */
export type ExportHtmlCommand = {
  "id"?: string | number;
  "type": "export_html";
  "outputPath"?: string;
};

/** Switch to a model. The session remembers it; a request that is under way finishes with the old one. */
export type SetModelCommand = {
  "id"?: string | number;
  "type": "set_model";
  "provider": string;
  "modelId": string;
};

/** Switch to the next model: of those named with --models, otherwise of all that can be used. `null` when there is no other. */
export type CycleModelCommand = {
  "id"?: string | number;
  "type": "cycle_model";
};

/** The models that can be used now: those with credentials, and the offline one. */
export type GetAvailableModelsCommand = {
  "id"?: string | number;
  "type": "get_available_models";
};

/** How hard the model thinks. A level that the model lacks becomes the nearest one it has. */
export type SetThinkingLevelCommand = {
  "id"?: string | number;
  "type": "set_thinking_level";
  "level": ThinkingLevel;
};

/** The next level that the model understands, round and round. `null` when it does not think. */
export type CycleThinkingLevelCommand = {
  "id"?: string | number;
  "type": "cycle_thinking_level";
};

/** The levels that the current model understands. */
export type GetAvailableThinkingLevelsCommand = {
  "id"?: string | number;
  "type": "get_available_thinking_levels";
};

/** Give the model one steering message a turn, or all that wait at once. */
export type SetSteeringModeCommand = {
  "id"?: string | number;
  "type": "set_steering_mode";
  "mode": QueueMode;
};

/** Give the model one follow-up at a time, or all that wait at once. */
export type SetFollowUpModeCommand = {
  "id"?: string | number;
  "type": "set_follow_up_mode";
  "mode": QueueMode;
};

/** Take back every queued message and return the texts. */
export type ClearQueueCommand = {
  "id"?: string | number;
  "type": "clear_queue";
};

/** Put a summary in the place of the older part of the conversation. A run that is going ends first, with its last events. */
export type CompactCommand = {
  "id"?: string | number;
  "type": "compact";
  "customInstructions"?: string;
};

/** Whether this session compacts by itself when the context window fills up. */
export type SetAutoCompactionCommand = {
  "id"?: string | number;
  "type": "set_auto_compaction";
  "enabled": boolean;
};

/** Whether this session asks again by itself after overload, rate limits and server errors. */
export type SetAutoRetryCommand = {
  "id"?: string | number;
  "type": "set_auto_retry";
  "enabled": boolean;
};

/** Cancel the wait before the next attempt, and stop trying. Succeeds also when nothing waits. */
export type AbortRetryCommand = {
  "id"?: string | number;
  "type": "abort_retry";
};

/** Run a shell command in the working directory. Its output reaches the model with the next prompt. Several may run at once. */
export type BashCommand = {
  "id"?: string | number;
  "type": "bash";
  "command": string;
  "excludeFromContext"?: boolean;
};

/** Stop every command that `bash` is running. The model’s own bash calls are stopped by `abort`. */
export type AbortBashCommand = {
  "id"?: string | number;
  "type": "abort_bash";
};

/** Counts of messages, tokens and cost of the conversation. */
export type GetSessionStatsCommand = {
  "id"?: string | number;
  "type": "get_session_stats";
};

/** Give the current session a display name. */
export type SetSessionNameCommand = {
  "id"?: string | number;
  "type": "set_session_name";
  "name": string;
};

/** Offer the model tools that live in the host, in the place of those set before. Each has a name, a description and its parameters as JSON Schema. A call comes as host_tool_call and is answered with host_tool_result. @experimental */
export type SetHostToolsCommand = {
  "id"?: string | number;
  "type": "set_host_tools";
  "tools": Array<unknown>;
};

/** Be told only of these events from here on; of all of them with null. Some that are told only to whoever names them: queue_update, bash_execution_update. Responses and questions always come, and so does what set_subagent_subscription asks for. @experimental */
export type SetEventFilterCommand = {
  "id"?: string | number;
  "type": "set_event_filter";
  "events": Array<string> | null;
};

/** Start a new session with everything that was said before one of the user’s messages, and return its text. */
export type ForkCommand = {
  "id"?: string | number;
  "type": "fork";
  "entryId": string;
};

/** The user’s messages that a new branch could begin before, on all branches. */
export type GetForkMessagesCommand = {
  "id"?: string | number;
  "type": "get_fork_messages";
};

/** Everything so far, as a tool result. @experimental */
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
} | {
  "type": "extension_ui_response";
  "id": string;
  "confirmed": boolean;
} | {
  "type": "extension_ui_response";
  "id": string;
  "cancelled": true;
};

/** @experimental */
export type HostToolCall = {
  "type": "host_tool_call";
  "id": string;
  "toolCallId": string;
  "toolName": string;
  "arguments": Record<string, unknown>;
};

/** The run was aborted: nobody waits for the result of `targetId` any more. @experimental */
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
        "origin": "top-level";
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

/** The agent begins to work on a prompt. */
export type AgentStartEvent = {
  "type": "agent_start";
};

/** A run is over. `messages` holds what this run made, not the history; `willRetry` says that another run follows by itself. */
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

/** A turn begins: one model answer and its tool calls. */
export type TurnStartEvent = {
  "type": "turn_start";
};

/** A turn is over, with the answer and the results of its tool calls. */
export type TurnEndEvent = {
  "type": "turn_end";
  "message": AssistantMessage;
  "toolResults": Array<ToolResultMessage>;
};

/** A message begins. An assistant message begins empty. */
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

/** An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. What an end event says (`content`, `toolCall`) is final and stands in place of the deltas before it: a provider may correct what it streamed. */
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

/** A message is complete, and on disk unless the session is not kept. */
export type MessageEndEvent = {
  "type": "message_end";
  "message": AgentMessage;
};

/** A tool begins. */
export type ToolExecutionStartEvent = {
  "type": "tool_execution_start";
  "toolCallId": string;
  "toolName": string;
  /** The arguments as the model gave them. */
  "args": Record<string, unknown>;
};

/** A tool is working. `partialResult` is everything so far, not the difference. */
export type ToolExecutionUpdateEvent = {
  "type": "tool_execution_update";
  "toolCallId": string;
  "toolName": string;
  /** The arguments as the model gave them. */
  "args": Record<string, unknown>;
  "partialResult": {
    "content": Array<TextContent | ImageContent>;
    "details"?: unknown;
  };
};

/** A tool is done. `durationMs` is told in the dialects that have a word for it. */
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

/** Somebody asked for the conversation to be summarised. */
export type CompactionStartEvent = {
  "type": "compaction_start";
  "reason": "manual" | "threshold" | "overflow";
};

/** What compaction_start announced is over. `result` is null when it was aborted, refused or failed. */
export type CompactionEndEvent = {
  "type": "compaction_end";
  "reason": "manual" | "threshold" | "overflow";
  "result": CompactionResult | null;
  "aborted": boolean;
  "willRetry": boolean;
  "errorMessage"?: string;
};

/** The provider failed in a way that passes. Another run starts by itself after `delayMs`. */
export type AutoRetryStartEvent = {
  "type": "auto_retry_start";
  "attempt": number;
  "maxAttempts": number;
  "delayMs": number;
  "errorMessage": string;
};

/** Asking again is over: an answer came, the attempts are used up, or somebody cancelled. */
export type AutoRetryEndEvent = {
  "type": "auto_retry_end";
  "success": boolean;
  "attempt": number;
  "finalError"?: string;
};

/** What waits for the model has changed: the texts of both queues, oldest first. */
export type QueueUpdateEvent = {
  "type": "queue_update";
  "steering": Array<string>;
  "followUp": Array<string>;
};

/** The session has another display name. */
export type SessionInfoChangedEvent = {
  "type": "session_info_changed";
  "name": string;
};

/** The model thinks harder or less hard from the next request on: somebody said so, or another model cannot do the same. */
export type ThinkingLevelChangedEvent = {
  "type": "thinking_level_changed";
  "level": ThinkingLevel;
};

/** A command of `bash` said something: what is new, in order. `id` is that of the call. A host that does not keep up misses some; the response has the end of it all. */
export type BashExecutionUpdateEvent = {
  "type": "bash_execution_update";
  "id"?: string | number;
  "delta": string;
};

/** An extension failed. The agent goes on without its answer. */
export type ExtensionErrorEvent = {
  "type": "extension_error";
  "extensionPath": string;
  "event": string;
  "error": string;
};

/** Something the person in front of the host should know, for example that the disk is full. @experimental */
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

/** What a `bash` command leaves behind. Counts are of the whole output (`total…`) and of what is shown (`output…`). */
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
  /** Names the whole output; the read tool opens it as `artifact://ID`. */
  "artifactId"?: string;
  /** Where the whole output lies. */
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
  /** What the conversation weighs now, as far as that can be known before the next answer. */
  "estimatedTokensAfter"?: number;
  /** What writing the summary cost; absent when an extension wrote it. */
  "usage"?: Usage;
};

export type CompactionSummaryMessage = {
  "role": "compactionSummary";
  "summary": string;
  "tokensBefore": number;
  /** Milliseconds since the epoch. */
  "timestamp": number;
};

/** Words that an extension or the agent itself puts before the model. */
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
  /** The wire format it is reached by, for example `anthropic-messages`. */
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
  /** The levels it understands, when they are not the usual ones for its `reasoning` flag. */
  "thinkingLevels"?: Array<ThinkingLevel>;
  "headers"?: Record<string, string>;
};

export type QueueMode = "all" | "one-at-a-time";

/** Unknown fields and unknown entry types are kept as they are: other programs write here too. */
export type SessionEntry = {
  "id": string;
  "parentId": string | null;
  "timestamp": string;
  "type": "message";
  "message": AgentMessage;
  /** The queued message that this one delivers; see the `parley.queue` custom entries. */
  "queueId"?: string;
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
  "steeringMode": QueueMode;
  "followUpMode": QueueMode;
  "interruptMode": InterruptMode;
  /** Absent with `--no-session`. Named before the file exists: it is written with the first acknowledged change. */
  "sessionFile"?: string;
  "sessionId": string;
  "sessionName"?: string;
  /** Whether what the project brings along counts: its settings, extensions, skills, rules and agents. */
  "trusted": boolean;
  "autoCompactionEnabled": boolean;
  "messageCount": number;
  "queuedMessageCount": number;
  /** The same number under the name that pi's hosts read. */
  "pendingMessageCount": number;
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
  /** How full the window is; absent without a model. */
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
  /** Opaque provider signature; kept and sent back to the provider that made it. */
  "textSignature"?: string;
};

export type ThinkingContent = {
  "type": "thinking";
  "thinking": string;
  "thinkingSignature"?: string;
  /** The provider hid the text; only the signature carries meaning. */
  "redacted"?: true;
};

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

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
