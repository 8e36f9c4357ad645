// The opal dialect of Parley. Generated from the declarations; do not edit.

/** Methods of the agent: params and result by method name. */
export type Methods = {
  "session/start": {
    "params": SessionStartParams;
    "result": SessionStartResult;
  };
  "session/list": {
    "params": SessionListParams;
    "result": SessionListResult;
  };
  "session/history": {
    "params": SessionHistoryParams;
    "result": SessionHistoryResult;
  };
  "session/branch": {
    "params": SessionBranchParams;
    "result": SessionBranchResult;
  };
  "session/compact": {
    "params": SessionCompactParams;
    "result": SessionCompactResult;
  };
  "session/delete": {
    "params": SessionDeleteParams;
    "result": SessionDeleteResult;
  };
  "agent/prompt": {
    "params": AgentPromptParams;
    "result": AgentPromptResult;
  };
  "agent/steer": {
    "params": AgentSteerParams;
    "result": AgentSteerResult;
  };
  "agent/abort": {
    "params": AgentAbortParams;
    "result": AgentAbortResult;
  };
  "agent/state": {
    "params": AgentStateParams;
    "result": AgentStateResult;
  };
  "tasks/list": {
    "params": TasksListParams;
    "result": TasksListResult;
  };
  "models/list": {
    "params": ModelsListParams;
    "result": ModelsListResult;
  };
  "model/set": {
    "params": ModelSetParams;
    "result": ModelSetResult;
  };
  "thinking/set": {
    "params": ThinkingSetParams;
    "result": ThinkingSetResult;
  };
  "settings/get": {
    "params": SettingsGetParams;
    "result": SettingsGetResult;
  };
  "settings/save": {
    "params": SettingsSaveParams;
    "result": SettingsSaveResult;
  };
  "auth/status": {
    "params": AuthStatusParams;
    "result": AuthStatusResult;
  };
  "auth/set_key": {
    "params": AuthSetKeyParams;
    "result": AuthSetKeyResult;
  };
  "auth/login": {
    "params": AuthLoginParams;
    "result": AuthLoginResult;
  };
  "auth/poll": {
    "params": AuthPollParams;
    "result": AuthPollResult;
  };
  "opal/config/get": {
    "params": OpalConfigGetParams;
    "result": OpalConfigGetResult;
  };
  "opal/config/set": {
    "params": OpalConfigSetParams;
    "result": OpalConfigSetResult;
  };
  "opal/ping": {
    "params": OpalPingParams;
    "result": OpalPingResult;
  };
  "opal/version": {
    "params": OpalVersionParams;
    "result": OpalVersionResult;
  };
};

/** Methods of the host, which the agent calls. */
export type Questions = {
  "client/confirm": {
    "params": ClientConfirmParams;
    "result": ClientConfirmResult;
  };
  "client/input": {
    "params": ClientInputParams;
    "result": ClientInputResult;
  };
  "client/ask_user": {
    "params": ClientAskUserParams;
    "result": ClientAskUserResult;
  };
};

export type SessionStartParams = {
  "model"?: {
    "provider"?: string;
    "id": string;
    "thinking_level"?: string;
  };
  "system_prompt"?: string;
  "working_dir"?: string;
  "session"?: boolean;
  "session_id"?: string;
  "features"?: {
    "sub_agents"?: boolean;
    "skills"?: boolean;
    "mcp"?: boolean;
    "debug"?: boolean;
  };
  "tools"?: Array<string>;
  "mcp_servers"?: Array<unknown>;
};

export type SessionStartResult = {
  "session_id": string;
  "session_dir": string;
  "context_files": Array<string>;
  "available_skills": Array<string>;
  "features": {
    "sub_agents": boolean;
    "skills": boolean;
    "mcp": boolean;
    "debug": false;
  };
  "mcp_servers": Array<string>;
  "node_name": string;
  "auth": {
    "status": "ready" | "setup_required";
    "provider": string | null;
    "providers": Array<{
      "id": string;
      "name": string;
      "method": "device_code" | "api_key";
      "env_var"?: string;
      "ready": boolean;
    }>;
  };
  "resumed": boolean;
};

/** Open a session in a directory: a new one, or the one with this id. With an id or `session: true` it is stored on disk. The model is looked up by its id; the provider is a hint. `mcp_servers` are used in addition to those of the configuration: objects with `name` and `command`, `args`, `env`, `cwd`, or with `name`, `url`, `headers` and `type` (`http` or `sse`). Others are ignored; the result lists the names of those that are used. Nodes are not supported: `node_name` is empty. */
export type SessionStartRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/start";
  "params"?: SessionStartParams;
};

export type SessionListParams = Record<never, never>;

export type SessionListResult = {
  "sessions": Array<{
    "id": string;
    "title": string | null;
    "modified": string;
  }>;
};

/** All stored sessions, newest first. */
export type SessionListRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/list";
  "params"?: SessionListParams;
};

export type SessionHistoryParams = {
  "session_id": string;
};

export type SessionHistoryResult = {
  "messages": Array<{
    "id": string;
    "role": string;
    "content": string | null;
    "is_error": boolean;
    "thinking"?: string;
    "call_id"?: string;
    "name"?: string;
    "tool_calls"?: Array<{
      "call_id": string;
      "name": string;
      "arguments": Record<string, unknown>;
    }>;
  }>;
};

/** The messages of the current branch, oldest first. Use the id of a message to branch there. @experimental */
export type SessionHistoryRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/history";
  "params": SessionHistoryParams;
};

export type SessionBranchParams = {
  "session_id": string;
  "entry_id": string;
};

export type SessionBranchResult = Record<never, never>;

/** Continue from another entry of the same session. If the entry is a user message, continue before it. */
export type SessionBranchRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/branch";
  "params": SessionBranchParams;
};

export type SessionCompactParams = {
  "session_id": string;
  "keep_recent"?: number;
};

export type SessionCompactResult = Record<never, never>;

/** Replace the older part of the conversation with a summary. `keep_recent` is the number of recent messages that are not summarised; without it the token limit of the settings applies. */
export type SessionCompactRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/compact";
  "params": SessionCompactParams;
};

export type SessionDeleteParams = {
  "session_id": string;
};

export type SessionDeleteResult = {
  "ok": true;
};

/** Delete a session with its artifacts. An open session is closed first. @experimental */
export type SessionDeleteRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "session/delete";
  "params": SessionDeleteParams;
};

export type AgentPromptParams = {
  "session_id": string;
  "text": string;
};

export type AgentPromptResult = {
  "queued": boolean;
};

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type AgentPromptRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "agent/prompt";
  "params": AgentPromptParams;
};

export type AgentSteerParams = {
  "session_id": string;
  "text": string;
};

export type AgentSteerResult = Record<never, never>;

/** Send a user message. Answered as soon as the message is on disk; the work follows as events and ends with agent_end. In the omp dialect, `prompt_result` reports how it ended, once per accepted prompt. During a run, `streamingBehavior` selects how to queue the message; without it the prompt is refused. A prompt sent after the last `agent_end`, while the session compacts, waits and runs. Messages that are still queued after an aborted run, or from before the session was opened, are run before it. A queued prompt that is not run before the program exits gets a later failure with the same id. */
export type AgentSteerRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "agent/steer";
  "params": AgentSteerParams;
};

export type AgentAbortParams = {
  "session_id": string;
};

export type AgentAbortResult = Record<never, never>;

/** Stop the current run, if there is one, without waiting for its last event. */
export type AgentAbortRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "agent/abort";
  "params": AgentAbortParams;
};

export type AgentStateParams = {
  "session_id": string;
};

export type AgentStateResult = {
  "session_id": string;
  "status": "idle" | "running";
  "model": {
    "provider": string;
    "id": string;
    "thinking_level": string;
  };
  "message_count": number;
  "tools": Array<string>;
  "token_usage": {
    "prompt_tokens": number;
    "completion_tokens": number;
    "total_tokens": number;
    "context_window": number;
    "current_context_tokens": number;
  };
};

/** The status of the session: idle or running, model, tools, message count and token usage. */
export type AgentStateRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "agent/state";
  "params": AgentStateParams;
};

export type TasksListParams = {
  "session_id": string;
};

export type TasksListResult = {
  "tasks": Array<Record<string, string>>;
};

/** The unfinished tracked tasks of this session (see the `tasks` tool), highest priority first. Every value is a string. */
export type TasksListRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "tasks/list";
  "params": TasksListParams;
};

export type ModelsListParams = {
  "providers"?: Array<string>;
};

export type ModelsListResult = {
  "models": Array<{
    "id": string;
    "name": string;
    "provider": string;
    "supports_thinking": boolean;
    "thinking_levels": Array<string>;
  }>;
};

/** The models that can be used now, sorted by id; with `providers`, only the models of these providers. */
export type ModelsListRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "models/list";
  "params"?: ModelsListParams;
};

export type ModelSetParams = {
  "session_id": string;
  "model_id": string;
  "thinking_level"?: string;
};

export type ModelSetResult = {
  "model": {
    "provider": string;
    "id": string;
    "thinking_level": string;
  };
};

/** Switch to a model: its id, `provider/id` or `provider:id`. Without a level the session keeps its own. */
export type ModelSetRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "model/set";
  "params": ModelSetParams;
};

export type ThinkingSetParams = {
  "session_id": string;
  "level": string;
};

export type ThinkingSetResult = {
  "thinking_level": string;
};

/** Set the thinking level: off, low, medium, high or max. A level that the model does not support is replaced by the nearest supported one. */
export type ThinkingSetRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "thinking/set";
  "params": ThinkingSetParams;
};

export type SettingsGetParams = Record<never, never>;

export type SettingsGetResult = {
  "settings": Record<string, unknown>;
};

/** The contents of the user settings file, without API keys. */
export type SettingsGetRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "settings/get";
  "params"?: SettingsGetParams;
};

export type SettingsSaveParams = {
  "settings": Record<string, unknown>;
};

export type SettingsSaveResult = {
  "settings": Record<string, unknown>;
};

/** Change some of the user settings; the others stay as they are. An API key of a provider is saved with the credentials, not in the settings file. */
export type SettingsSaveRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "settings/save";
  "params": SettingsSaveParams;
};

export type AuthStatusParams = Record<never, never>;

export type AuthStatusResult = {
  "authenticated": boolean;
  "auth": {
    "status": "ready" | "setup_required";
    "provider": string | null;
    "providers": Array<{
      "id": string;
      "name": string;
      "method": "device_code" | "api_key";
      "env_var"?: string;
      "ready": boolean;
    }>;
  };
};

/** Which providers have credentials: an API key in the environment or in a file, or a sign-in. */
export type AuthStatusRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "auth/status";
  "params"?: AuthStatusParams;
};

export type AuthSetKeyParams = {
  "provider": string;
  "api_key": string;
};

export type AuthSetKeyResult = {
  "ok": true;
};

/** Save the API key of a provider. It is used from the next request on, also in open sessions. */
export type AuthSetKeyRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "auth/set_key";
  "params": AuthSetKeyParams;
};

export type AuthLoginParams = Record<never, never>;

export type AuthLoginResult = {
  "user_code": string;
  "verification_uri": string;
  "device_code": string;
  "interval": number;
};

/** Start a device-code sign-in with GitHub Copilot. Returns the code and the URL where the user enters it. */
export type AuthLoginRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "auth/login";
  "params"?: AuthLoginParams;
};

export type AuthPollParams = {
  "device_code": string;
  "interval": number;
};

export type AuthPollResult = {
  "authenticated": true;
};

/** Waits until the user has confirmed the sign-in and the credentials are saved, or until the sign-in fails or expires. Other commands do not wait. */
export type AuthPollRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "auth/poll";
  "params": AuthPollParams;
};

export type OpalConfigGetParams = {
  "session_id": string;
};

export type OpalConfigGetResult = {
  "features": {
    "sub_agents": boolean;
    "skills": boolean;
    "mcp": boolean;
    "debug": false;
  };
  "tools": {
    "all": Array<string>;
    "enabled": Array<string>;
    "disabled": Array<string>;
  };
  "distribution": unknown | null;
};

/** The enabled features and tools of this session. @experimental */
export type OpalConfigGetRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "opal/config/get";
  "params": OpalConfigGetParams;
};

export type OpalConfigSetParams = {
  "session_id": string;
  "features"?: {
    "sub_agents"?: boolean;
    "skills"?: boolean;
    "mcp"?: boolean;
    "debug"?: boolean;
  };
  "tools"?: Array<string>;
  "distribution"?: unknown | null;
};

export type OpalConfigSetResult = {
  "features": {
    "sub_agents": boolean;
    "skills": boolean;
    "mcp": boolean;
    "debug": false;
  };
  "tools": {
    "all": Array<string>;
    "enabled": Array<string>;
    "disabled": Array<string>;
  };
  "distribution": unknown | null;
};

/** Enable or disable `sub_agents`, `skills` and `mcp`, and set the complete list of tools offered to the model. Applies from the next request on. Omitted values are not changed. `debug` is accepted but not supported and stays false. `distribution` stays null. @experimental */
export type OpalConfigSetRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "opal/config/set";
  "params": OpalConfigSetParams;
};

export type OpalPingParams = Record<never, never>;

export type OpalPingResult = Record<never, never>;

/** Replies immediately. Use it to check that the agent responds. @experimental */
export type OpalPingRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "opal/ping";
  "params"?: OpalPingParams;
};

export type OpalVersionParams = Record<never, never>;

export type OpalVersionResult = {
  "server_version": string;
  "protocol_version": "0.1.0";
};

/** Replies immediately. Use it to check that the agent responds. @experimental */
export type OpalVersionRequest = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "method": "opal/version";
  "params"?: OpalVersionParams;
};

export type ClientConfirmParams = {
  "session_id": string;
  "title": string;
  "message": string;
  "actions": Array<string>;
};

export type ClientConfirmResult = {
  "action": string;
  "message"?: string;
};

/** Ask for permission. The answer is one of `actions`. For a tool call, no answer within 30 seconds means deny. The `message` of an answer that denies a tool call is sent to the model. */
export type ClientConfirmRequest = {
  "jsonrpc": "2.0";
  "id": string;
  "method": "client/confirm";
  "params": ClientConfirmParams;
};

export type ClientInputParams = {
  "session_id": string;
  "prompt": string;
  "sensitive": boolean;
};

export type ClientInputResult = {
  "text": string;
};

/** Ask for a text on behalf of an extension. */
export type ClientInputRequest = {
  "jsonrpc": "2.0";
  "id": string;
  "method": "client/input";
  "params": ClientInputParams;
};

export type ClientAskUserParams = {
  "session_id": string;
  "question": string;
  "choices": Array<string>;
};

export type ClientAskUserResult = {
  "answer": string;
};

/** A question from the model or an extension. Without choices any text is accepted. */
export type ClientAskUserRequest = {
  "jsonrpc": "2.0";
  "id": string;
  "method": "client/ask_user";
  "params": ClientAskUserParams;
};

/** The user message was added to the conversation. */
export type MessageAppliedEvent = {
  "session_id": string;
  "type": "message_applied";
  "text": string;
};

/** The user message is queued until the current run takes it. */
export type MessageQueuedEvent = {
  "session_id": string;
  "type": "message_queued";
  "text": string;
};

/** A run starts. Automatic retries belong to the same run. */
export type AgentStartEvent = {
  "session_id": string;
  "type": "agent_start";
};

/** An assistant message starts. */
export type MessageStartEvent = {
  "session_id": string;
  "type": "message_start";
};

/** New text of the assistant message. */
export type MessageDeltaEvent = {
  "session_id": string;
  "type": "message_delta";
  "delta": string;
};

/** Thinking starts. */
export type ThinkingStartEvent = {
  "session_id": string;
  "type": "thinking_start";
};

/** New thinking text. */
export type ThinkingDeltaEvent = {
  "session_id": string;
  "type": "thinking_delta";
  "delta": string;
};

/** A tool call starts. `meta` is a short summary to display. */
export type ToolExecutionStartEvent = {
  "session_id": string;
  "type": "tool_execution_start";
  "tool": string;
  "call_id": string;
  "args": Record<string, unknown>;
  "meta": string;
};

/** Output of a tool since the previous `tool_output`. */
export type ToolOutputEvent = {
  "session_id": string;
  "type": "tool_output";
  "tool": string;
  "call_id": string;
  "chunk": string;
};

/** A tool call ended. `output` is a text, or an object whose `kind` tells how to render it; `meta` has the details. */
export type ToolExecutionEndEvent = {
  "session_id": string;
  "type": "tool_execution_end";
  "tool": string;
  "call_id": string;
  "result": {
    "ok": true;
    "output": unknown;
    "meta"?: Record<string, unknown>;
  } | {
    "ok": false;
    "error": string;
  };
};

/** An assistant message is complete and the run continues with tool calls or queued messages. */
export type TurnEndEvent = {
  "session_id": string;
  "type": "turn_end";
  "message": string;
};

/** Token usage of the session so far. */
export type UsageUpdateEvent = {
  "session_id": string;
  "type": "usage_update";
  "usage": {
    "prompt_tokens": number;
    "completion_tokens": number;
    "total_tokens": number;
    "context_window": number;
    "current_context_tokens": number;
  };
};

/** A short status text. */
export type StatusUpdateEvent = {
  "session_id": string;
  "type": "status_update";
  "message": string;
};

/** The run ended and no automatic retry or continuation follows. */
export type AgentEndEvent = {
  "session_id": string;
  "type": "agent_end";
  "usage": {
    "prompt_tokens": number;
    "completion_tokens": number;
    "total_tokens": number;
    "context_window": number;
    "current_context_tokens": number;
  };
};

/** The run was aborted. Also sent when no run was active. */
export type AgentAbortEvent = {
  "session_id": string;
  "type": "agent_abort";
};

/** The run failed. Sent instead of agent_end. */
export type ErrorEvent = {
  "session_id": string;
  "type": "error";
  "reason": string;
};

/** The context files of the project that the model is given. */
export type ContextDiscoveredEvent = {
  "session_id": string;
  "type": "context_discovered";
  "files": Array<string>;
};

/** A skill was loaded. */
export type SkillLoadedEvent = {
  "session_id": string;
  "type": "skill_loaded";
  "name": string;
  "description": string;
};

/** An event of a subagent: `sub_agent_start` first, then its own events, `agent_end` last. */
export type SubAgentEventEvent = {
  "session_id": string;
  "type": "sub_agent_event";
  "parent_call_id": string;
  "sub_session_id": string;
  "inner": {
    "type": string;
  };
};

/** The request `request_id` to the host (such as `s2c-1`) is withdrawn: the run was aborted, or an approval was not given in time. An answer is ignored. */
export type ClientRequestCancelledEvent = {
  "session_id": string;
  "type": "client_request_cancelled";
  "request_id": string;
};

/** An existing session was resumed. */
export type AgentRecoveredEvent = {
  "session_id": string;
  "type": "agent_recovered";
};

export type AgentEvent = MessageAppliedEvent | MessageQueuedEvent | AgentStartEvent | MessageStartEvent | MessageDeltaEvent | ThinkingStartEvent | ThinkingDeltaEvent | ToolExecutionStartEvent | ToolOutputEvent | ToolExecutionEndEvent | TurnEndEvent | UsageUpdateEvent | StatusUpdateEvent | AgentEndEvent | AgentAbortEvent | ErrorEvent | ContextDiscoveredEvent | SkillLoadedEvent | SubAgentEventEvent | ClientRequestCancelledEvent | AgentRecoveredEvent;

export type EventNotification = {
  "jsonrpc": "2.0";
  "method": "agent/event";
  "params": AgentEvent;
};

/** The response to a request. The schema of `result` depends on the method. */
export type Result = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "result": unknown;
};

export type Failure = {
  "jsonrpc": "2.0";
  "id": string | number | null;
  "error": {
    "code": number;
    "message": string;
    "data"?: unknown;
  };
};

export type HostFrame = SessionStartRequest | SessionListRequest | SessionHistoryRequest | SessionBranchRequest | SessionCompactRequest | SessionDeleteRequest | AgentPromptRequest | AgentSteerRequest | AgentAbortRequest | AgentStateRequest | TasksListRequest | ModelsListRequest | ModelSetRequest | ThinkingSetRequest | SettingsGetRequest | SettingsSaveRequest | AuthStatusRequest | AuthSetKeyRequest | AuthLoginRequest | AuthPollRequest | OpalConfigGetRequest | OpalConfigSetRequest | OpalPingRequest | OpalVersionRequest | Result | Failure;

export type AgentFrame = Result | Failure | EventNotification | ClientConfirmRequest | ClientInputRequest | ClientAskUserRequest;
