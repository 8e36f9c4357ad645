// The pi-legacy dialect of Parley. Generated from the declarations; do not edit.

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type PromptCommand = {
  "type": "prompt";
  "message": string;
  "attachments"?: Array<Attachment>;
};

/** Stop the current run. Answered after its agent_end; at once when nothing runs. Queued messages stay queued: they are run before the next prompt. */
export type AbortCommand = {
  "type": "abort";
};

/** Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events. `keepMessages` is the number of newest messages that are not summarised; without it the token limit of the settings applies. */
export type CompactCommand = {
  "type": "compact";
  "customInstructions"?: string;
};

/** A run starts: the agent begins to work on a prompt. */
export type AgentStartEvent = {
  "type": "agent_start";
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

/** A run has ended. `messages` holds the messages of this run, not the whole history; `willRetry` is true when another run follows automatically. */
export type AgentEndEvent = {
  "type": "agent_end";
  "messages": Array<AgentMessage>;
};

/** A tool call has ended. `durationMs` is only sent in dialects that define it. */
export type ToolExecutionEndEvent = {
  "type": "tool_execution_end";
  "toolCallId": string;
  "toolName": string;
  "isError": boolean;
  "result": string | {
    "content": Array<TextContent | ImageContent>;
    "details"?: unknown;
  };
};

export type CompactionEvent = {
  "type": "compaction";
  "summary": string;
  "tokensBefore": number;
  "auto"?: true;
};

export type ErrorEvent = {
  "type": "error";
  "error": string;
};

export type HostFrame = PromptCommand | AbortCommand | CompactCommand;

export type AgentFrame = AgentStartEvent | TurnStartEvent | TurnEndEvent | MessageStartEvent | MessageUpdateEvent | MessageEndEvent | ToolExecutionStartEvent | AgentEndEvent | ToolExecutionEndEvent | CompactionEvent | ErrorEvent;

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

export type BranchSummaryMessage = {
  "role": "branchSummary";
  "summary": string;
  "fromId": string;
  /** Milliseconds since the epoch. */
  "timestamp": number;
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
