"""Types of the protocol. Generated from the declarations by `npm run docs`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Literal, TypedDict, Union


AgentMessage = Union["UserMessage", "AssistantMessage", "ToolResultMessage", "BashExecutionMessage", "CustomMessage", "CompactionSummaryMessage", "BranchSummaryMessage"]


AssistantContent = List[Union["TextContent", "ThinkingContent", "ToolCall"]]


class _AssistantMessage(TypedDict):
    role: Literal["assistant"]
    content: "AssistantContent"
    api: str
    provider: str
    model: str
    usage: "Usage"
    stopReason: "StopReason"
    timestamp: float


class AssistantMessage(_AssistantMessage, total=False):
    errorMessage: str


class AssistantMessageEventStart(TypedDict):
    type: Literal["start"]
    partial: "AssistantMessage"


class AssistantMessageEventDone(TypedDict):
    type: Literal["done"]
    reason: Literal["stop", "length", "toolUse"]
    message: "AssistantMessage"


class _AssistantMessageEventError(TypedDict):
    type: Literal["error"]
    reason: Literal["aborted", "error"]
    error: "AssistantMessage"


class AssistantMessageEventError(_AssistantMessageEventError, total=False):
    failure: "ProviderFailure"


AssistantMessageEvent = Union["AssistantMessageEventStart", "StreamEvent", "AssistantMessageEventDone", "AssistantMessageEventError"]


class _Attachment(TypedDict):
    id: str
    type: Union[Literal["image"], Literal["document"]]
    fileName: str
    mimeType: str
    size: float
    content: str


class Attachment(_Attachment, total=False):
    """Files that legacy hosts send beside the text."""

    extractedText: Union[str, None]
    preview: Union[str, None]


class _BashExecutionMessage(TypedDict):
    role: Literal["bashExecution"]
    command: str
    output: str
    cancelled: bool
    truncated: bool
    timestamp: float


class BashExecutionMessage(_BashExecutionMessage, total=False):
    """A command that the host ran with `bash`, not the model."""

    exitCode: float
    artifactId: str
    excludeFromContext: bool


class _BashResult(TypedDict):
    output: str
    cancelled: bool
    truncated: bool
    totalLines: float
    totalBytes: float
    outputLines: float
    outputBytes: float


class BashResult(_BashResult, total=False):
    """The result of a `bash` command. Counts are of the whole output (`total…`) and of the part in `output` (`output…`)."""

    exitCode: float
    artifactId: str
    fullOutputPath: str


class BranchSummaryMessage(TypedDict):
    role: Literal["branchSummary"]
    summary: str
    fromId: str
    timestamp: float


BudgetReason = Literal["wall_time", "input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls", "subagents"]


BudgetScope = Literal["session", "task", "subagent"]


class _BudgetSnapshot(TypedDict):
    status: Literal["ok", "warning", "exceeded"]
    wallTimeMs: float
    inputTokens: float
    outputTokens: float
    totalTokens: float
    costUsd: float
    toolCalls: float
    subagents: float


class BudgetSnapshot(_BudgetSnapshot, total=False):
    reason: "BudgetReason"


ClientAccess = Literal["full", "read"]


class _CompactionResult(TypedDict):
    summary: str
    firstKeptEntryId: str
    tokensBefore: float
    details: Any


class CompactionResult(_CompactionResult, total=False):
    estimatedTokensAfter: float
    usage: "Usage"


class CompactionSummaryMessage(TypedDict):
    role: Literal["compactionSummary"]
    summary: str
    tokensBefore: float
    timestamp: float


class _CustomMessage(TypedDict):
    role: Literal["custom"]
    customType: str
    content: Union[str, "UserContent"]
    display: bool
    timestamp: float


class CustomMessage(_CustomMessage, total=False):
    """A message that an extension or the agent itself adds to the context."""

    details: Any


class _EntryTree(TypedDict):
    entry: "SessionEntry"
    children: List["EntryTree"]


class EntryTree(_EntryTree, total=False):
    label: str
    labelTimestamp: str


class HostToolCall(TypedDict):
    type: Literal["host_tool_call"]
    id: str
    toolCallId: str
    toolName: str
    arguments: Dict[str, Any]


class HostToolCancel(TypedDict):
    """The run was aborted; a result for `targetId` is ignored."""

    type: Literal["host_tool_cancel"]
    id: str
    targetId: str


class _HostToolResult(TypedDict):
    type: Literal["host_tool_result"]
    id: str
    result: Any


class HostToolResult(_HostToolResult, total=False):
    isError: bool


class HostToolUpdate(TypedDict):
    """The complete partial result so far, in the form of a tool result."""

    type: Literal["host_tool_update"]
    id: str
    partialResult: Any


class HostUriCancel(TypedDict):
    """The run was aborted; a result for `targetId` is ignored."""

    type: Literal["host_uri_cancel"]
    id: str
    targetId: str


class _HostUriRequest(TypedDict):
    type: Literal["host_uri_request"]
    id: str
    operation: Literal["read", "write"]
    url: str


class HostUriRequest(_HostUriRequest, total=False):
    """The agent reads or writes a URI of a scheme that the host has registered."""

    content: str


class _HostUriResult(TypedDict):
    type: Literal["host_uri_result"]
    id: str


class HostUriResult(_HostUriResult, total=False):
    content: str
    contentType: str
    notes: List[str]
    immutable: bool
    isError: bool
    error: str


class _HostUriScheme(TypedDict):
    scheme: str


class HostUriScheme(_HostUriScheme, total=False):
    """A URI scheme that the host resolves, such as `db` for db://users/1."""

    description: str
    writable: bool
    immutable: bool


class ImageContentImage(TypedDict):
    type: Literal["image"]
    data: str
    mimeType: str


class ImageContentImage2Source(TypedDict):
    type: Literal["url"]
    url: str


class ImageContentImage2(TypedDict):
    type: Literal["image"]
    source: "ImageContentImage2Source"


ImageContent = Union["ImageContentImage", "ImageContentImage2"]


class IncomingImageImage(TypedDict):
    type: Literal["image"]
    data: str
    mimeType: str


class IncomingImageImage2SourceBase64(TypedDict):
    type: Literal["base64"]
    mediaType: str
    data: str


class IncomingImageImage2SourceUrl(TypedDict):
    type: Literal["url"]
    url: str


class IncomingImageImage2(TypedDict):
    type: Literal["image"]
    source: Union["IncomingImageImage2SourceBase64", "IncomingImageImage2SourceUrl"]


IncomingImage = Union["IncomingImageImage", "IncomingImageImage2"]


InterruptMode = Literal["immediate", "wait"]


class ModelCost(TypedDict):
    """US dollars for a million tokens."""

    input: float
    output: float
    cacheRead: float
    cacheWrite: float


class _Model(TypedDict):
    id: str
    name: str
    api: str
    provider: str
    baseUrl: str
    reasoning: bool
    input: List[Literal["text", "image"]]
    contextWindow: float
    maxTokens: float
    cost: "ModelCost"


class Model(_Model, total=False):
    thinkingLevels: List["ThinkingLevel"]
    headers: Dict[str, str]


ModelMessage = Union["UserMessage", "AssistantMessage", "ToolResultMessage"]


PermissionMode = Literal["read-only", "always", "ask", "auto-edit", "full"]


class _PromptError(TypedDict):
    message: str
    retryable: bool


class PromptError(_PromptError, total=False):
    """Why a prompt failed."""

    provider: str
    model: str
    httpStatus: float


class _PromptOutcome(TypedDict):
    agentInvoked: bool
    status: Literal["completed", "aborted", "error"]
    sessionSettled: bool


class PromptOutcome(_PromptOutcome, total=False):
    error: "PromptError"


class _ProviderFailure(TypedDict):
    kind: Literal["overloaded", "rate_limit", "server", "network", "timeout", "malformed", "auth", "quota", "overflow", "filter", "refused", "limit"]


class ProviderFailure(_ProviderFailure, total=False):
    """Machine-readable reason of a failed request, used for the retry decision. The text for users is in the message."""

    status: float
    retryAfterMs: float


QueueMode = Literal["all", "one-at-a-time"]


class RuleSource(TypedDict):
    """The file that the rule was loaded from."""

    provider: str
    providerName: str
    path: str
    level: Literal["user", "project"]


class _Rule(TypedDict):
    name: str
    path: str
    content: str
    _source: "RuleSource"


class Rule(_Rule, total=False):
    globs: List[str]
    alwaysApply: bool
    description: str
    ttsrTrigger: str


class SessionAttached(TypedDict):
    """Sent when a client is attached to a session: after the connection, and when it moves to another session."""

    type: Literal["session_attached"]
    sessionId: str
    clientId: str
    seq: float
    access: "ClientAccess"
    replay: Literal["none", "events", "snapshot"]
    sessions: Literal["one", "many"]


class _SessionEntryMessage(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["message"]
    message: "AgentMessage"


class SessionEntryMessage(_SessionEntryMessage, total=False):
    queueId: str
    startsRecordedIn: str


class SessionEntryThinkingLevelChange(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["thinking_level_change"]
    thinkingLevel: "ThinkingLevel"


class SessionEntryModelChange(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["model_change"]
    provider: str
    modelId: str


class _SessionEntryCompaction(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["compaction"]
    summary: str
    firstKeptEntryId: str
    tokensBefore: float


class SessionEntryCompaction(_SessionEntryCompaction, total=False):
    details: Any


class SessionEntryBranchSummary(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["branch_summary"]
    fromId: str
    summary: str


class _SessionEntryCustom(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["custom"]
    customType: str


class SessionEntryCustom(_SessionEntryCustom, total=False):
    data: Any


class _SessionEntryCustomMessage(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["custom_message"]
    customType: str
    content: Union[str, List[Any]]


class SessionEntryCustomMessage(_SessionEntryCustomMessage, total=False):
    display: Any
    details: Any


class _SessionEntryLabel(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["label"]
    targetId: str


class SessionEntryLabel(_SessionEntryLabel, total=False):
    label: str


class SessionEntryTtsrInjection(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["ttsr_injection"]
    injectedRules: List[str]


class _SessionEntrySessionInfo(TypedDict):
    id: str
    parentId: Union[str, None]
    timestamp: str
    type: Literal["session_info"]


class SessionEntrySessionInfo(_SessionEntrySessionInfo, total=False):
    name: str


SessionEntry = Union["SessionEntryMessage", "SessionEntryThinkingLevelChange", "SessionEntryModelChange", "SessionEntryCompaction", "SessionEntryBranchSummary", "SessionEntryCustom", "SessionEntryCustomMessage", "SessionEntryLabel", "SessionEntryTtsrInjection", "SessionEntrySessionInfo"]


class _SessionHeader(TypedDict):
    type: Literal["session"]
    id: str
    timestamp: str
    cwd: str


class SessionHeader(_SessionHeader, total=False):
    version: float
    parentSession: str
    movedFrom: str


class _SessionSnapshotRunningToolsItem(TypedDict):
    toolCallId: str
    toolName: str
    args: Dict[str, Any]


class SessionSnapshotRunningToolsItem(_SessionSnapshotRunningToolsItem, total=False):
    partialResult: Any


class SessionSnapshotQueues(TypedDict):
    steering: List[str]
    followUp: List[str]


class SessionSnapshot(TypedDict):
    """The whole state of a session at one sequence number, for a client that asked for events that are not available: the position is too old or of an earlier server process (`too_old`), ahead (`unknown_position`), or no whole number (`malformed`)."""

    type: Literal["session_snapshot"]
    reason: Literal["too_old", "unknown_position", "malformed"]
    sessionId: str
    seq: float
    state: "SessionState"
    messages: List["AgentMessage"]
    totalMessages: float
    firstIndex: float
    openMessage: Union["AssistantMessage", None]
    runningTools: List["SessionSnapshotRunningToolsItem"]
    queues: "SessionSnapshotQueues"


class _SessionState(TypedDict):
    model: Union["Model", None]
    thinkingLevel: "ThinkingLevel"
    isStreaming: bool
    isCompacting: bool
    isSettled: bool
    steeringMode: "QueueMode"
    followUpMode: "QueueMode"
    interruptMode: "InterruptMode"
    sessionId: str
    trusted: bool
    permissionMode: "PermissionMode"
    autoCompactionEnabled: bool
    fastModeEnabled: bool
    fastModeActive: bool
    tokensPerSecond: Union[float, None]
    messageCount: float
    queuedMessageCount: float
    pendingMessageCount: float
    todoPhases: List["TodoPhase"]


class SessionState(_SessionState, total=False):
    isInterrupted: bool
    sessionFile: str
    sessionName: str


class SessionStatsTokens(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class SessionStatsContextUsage(TypedDict):
    """Use of the context window; absent without a model."""

    tokens: float
    contextWindow: float
    percent: float


class _SessionStats(TypedDict):
    sessionId: str
    userMessages: float
    assistantMessages: float
    toolCalls: float
    toolResults: float
    totalMessages: float
    tokens: "SessionStatsTokens"
    cost: float


class SessionStats(_SessionStats, total=False):
    sessionFile: str
    contextUsage: "SessionStatsContextUsage"


class _SlashCommandEntry(TypedDict):
    name: str
    source: Literal["extension", "file", "skill"]


class SlashCommandEntry(_SlashCommandEntry, total=False):
    description: str


StopReason = Literal["stop", "length", "toolUse", "error", "aborted"]


class StreamEventTextStart(TypedDict):
    type: Literal["text_start"]
    contentIndex: float
    partial: "AssistantMessage"


class StreamEventTextDelta(TypedDict):
    type: Literal["text_delta"]
    contentIndex: float
    delta: str
    partial: "AssistantMessage"


class StreamEventTextEnd(TypedDict):
    type: Literal["text_end"]
    contentIndex: float
    content: str
    partial: "AssistantMessage"


class StreamEventThinkingStart(TypedDict):
    type: Literal["thinking_start"]
    contentIndex: float
    partial: "AssistantMessage"


class StreamEventThinkingDelta(TypedDict):
    type: Literal["thinking_delta"]
    contentIndex: float
    delta: str
    partial: "AssistantMessage"


class StreamEventThinkingEnd(TypedDict):
    type: Literal["thinking_end"]
    contentIndex: float
    content: str
    partial: "AssistantMessage"


class StreamEventToolcallStart(TypedDict):
    type: Literal["toolcall_start"]
    contentIndex: float
    partial: "AssistantMessage"


class StreamEventToolcallDelta(TypedDict):
    type: Literal["toolcall_delta"]
    contentIndex: float
    delta: str
    partial: "AssistantMessage"


class StreamEventToolcallEnd(TypedDict):
    type: Literal["toolcall_end"]
    contentIndex: float
    toolCall: "ToolCall"
    partial: "AssistantMessage"


StreamEvent = Union["StreamEventTextStart", "StreamEventTextDelta", "StreamEventTextEnd", "StreamEventThinkingStart", "StreamEventThinkingDelta", "StreamEventThinkingEnd", "StreamEventToolcallStart", "StreamEventToolcallDelta", "StreamEventToolcallEnd"]


class _SubagentLifecycle(TypedDict):
    id: str
    index: float
    agent: str
    agentSource: Literal["bundled", "user", "project"]
    status: Literal["started", "completed", "failed", "aborted"]


class SubagentLifecycle(_SubagentLifecycle, total=False):
    sessionFile: str
    parentToolCallId: str
    description: str
    abortReason: str


class SubagentProgressRecentToolsItem(TypedDict):
    tool: str
    args: str
    endMs: float


class _SubagentProgress(TypedDict):
    index: float
    id: str
    agent: str
    status: Literal["pending", "running", "completed", "failed", "aborted"]
    recentTools: List["SubagentProgressRecentToolsItem"]
    recentOutput: List[str]
    toolCount: float
    tokens: float
    durationMs: float


class SubagentProgress(_SubagentProgress, total=False):
    currentTool: str


class _SubagentProgressPayload(TypedDict):
    index: float
    agent: str
    agentSource: Literal["bundled", "user", "project"]
    task: str
    progress: "SubagentProgress"


class SubagentProgressPayload(_SubagentProgressPayload, total=False):
    sessionFile: str
    parentToolCallId: str
    assignment: str


class SubagentResultNestedPatchesItem(TypedDict):
    path: str
    patchPath: str


class SubagentResultNewRepositoriesItem(TypedDict):
    path: str
    keptPath: str


class SubagentResultOutputMeta(TypedDict):
    lineCount: float
    charCount: float


class _SubagentResult(TypedDict):
    index: float
    id: str
    agent: str
    agentSource: Literal["bundled", "user", "project"]
    task: str
    exitCode: float
    output: str
    stderr: str
    truncated: bool
    durationMs: float
    tokens: float


class SubagentResult(_SubagentResult, total=False):
    """The result of one subagent."""

    assignment: str
    description: str
    modelOverride: str
    error: str
    aborted: bool
    abortReason: str
    usage: "Usage"
    outputPath: str
    patchPath: str
    branchName: str
    nestedPatches: List["SubagentResultNestedPatchesItem"]
    newRepositories: List["SubagentResultNewRepositoriesItem"]
    applied: bool
    extractedToolData: Dict[str, Any]
    outputMeta: "SubagentResultOutputMeta"
    verification: "VerificationResult"


class _SubagentSnapshot(TypedDict):
    id: str
    index: float
    agent: str
    agentSource: Literal["bundled", "user", "project"]
    status: Literal["pending", "running", "completed", "failed", "aborted"]
    lastUpdate: float


class SubagentSnapshot(_SubagentSnapshot, total=False):
    """A running subagent, or one that has ended."""

    sessionFile: str
    parentToolCallId: str
    description: str
    task: str
    assignment: str
    progress: "SubagentProgress"
    isolated: bool
    durationMs: float
    tokens: float
    cost: float
    error: str
    abortReason: str
    outputPath: str
    patchPath: str
    branchName: str
    applied: bool
    verification: "VerificationResult"


class _TaskDetails(TypedDict):
    projectAgentsDir: Union[str, None]
    results: List["SubagentResult"]
    totalDurationMs: float


class TaskDetails(_TaskDetails, total=False):
    """The `details` of the task tool's results. `progress` is present while the tool is running."""

    usage: "Usage"
    outputPaths: List[str]
    progress: List["SubagentProgress"]


class _TextContent(TypedDict):
    type: Literal["text"]
    text: str


class TextContent(_TextContent, total=False):
    textSignature: str


class _ThinkingContent(TypedDict):
    type: Literal["thinking"]
    thinking: str


class ThinkingContent(_ThinkingContent, total=False):
    thinkingSignature: str
    redacted: Literal[True]


ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh"]


class _TodoItem(TypedDict):
    id: str
    content: str
    activeForm: str
    status: Literal["pending", "in_progress", "completed", "abandoned", "blocked"]


class TodoItem(_TodoItem, total=False):
    phase: str


class _TodoPhaseTasksItem(TypedDict):
    content: str
    status: Literal["pending", "in_progress", "completed", "abandoned", "blocked"]


class TodoPhaseTasksItem(_TodoPhaseTasksItem, total=False):
    id: str


class TodoPhase(TypedDict):
    """A phase with its items, as hosts send it."""

    name: str
    tasks: List["TodoPhaseTasksItem"]


class _ToolCall(TypedDict):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: Dict[str, Any]


class ToolCall(_ToolCall, total=False):
    thoughtSignature: str


class _ToolResultMessage(TypedDict):
    role: Literal["toolResult"]
    toolCallId: str
    toolName: str
    content: "UserContent"
    isError: bool
    timestamp: float


class ToolResultMessage(_ToolResultMessage, total=False):
    details: Any


class _UiAnswerOption(TypedDict):
    value: str


class UiAnswerOption(_UiAnswerOption, total=False):
    message: str


class UiAnswerOption2(TypedDict):
    confirmed: bool


class _UiAnswerOption3(TypedDict):
    cancelled: Literal[True]


class UiAnswerOption3(_UiAnswerOption3, total=False):
    timedOut: bool


UiAnswer = Union["UiAnswerOption", "UiAnswerOption2", "UiAnswerOption3"]


class _UiRequestSelectToolCall(TypedDict):
    toolCallId: str
    toolName: str
    args: Dict[str, Any]
    cwd: str


class UiRequestSelectToolCall(_UiRequestSelectToolCall, total=False):
    """Set when the request asks for the approval of a tool call."""

    diff: str
    rules: List[str]
    sessionScope: str
    reason: str


class _UiRequestSelect(TypedDict):
    id: str
    method: Literal["select"]
    title: str
    options: List[str]


class UiRequestSelect(_UiRequestSelect, total=False):
    message: str
    toolCall: "UiRequestSelectToolCall"
    by: Literal["model"]
    timeout: float


class _UiRequestConfirm(TypedDict):
    id: str
    method: Literal["confirm"]
    title: str
    message: str


class UiRequestConfirm(_UiRequestConfirm, total=False):
    timeout: float


class _UiRequestInput(TypedDict):
    id: str
    method: Literal["input"]
    title: str


class UiRequestInput(_UiRequestInput, total=False):
    placeholder: str
    by: Literal["model"]
    timeout: float


class _UiRequestEditor(TypedDict):
    id: str
    method: Literal["editor"]
    title: str


class UiRequestEditor(_UiRequestEditor, total=False):
    prefill: str


class _UiRequestNotify(TypedDict):
    id: str
    method: Literal["notify"]
    message: str


class UiRequestNotify(_UiRequestNotify, total=False):
    notifyType: Literal["info", "warning", "error"]


class _UiRequestSetStatus(TypedDict):
    id: str
    method: Literal["setStatus"]
    statusKey: str


class UiRequestSetStatus(_UiRequestSetStatus, total=False):
    statusText: str


class _UiRequestSetWidget(TypedDict):
    id: str
    method: Literal["setWidget"]
    widgetKey: str


class UiRequestSetWidget(_UiRequestSetWidget, total=False):
    widgetLines: List[str]
    widgetPlacement: str


class UiRequestSetTitle(TypedDict):
    id: str
    method: Literal["setTitle"]
    title: str


class UiRequestSetEditorText(TypedDict):
    id: str
    method: Literal["set_editor_text"]
    text: str


class _UiRequestOpenUrl(TypedDict):
    id: str
    method: Literal["open_url"]
    url: str


class UiRequestOpenUrl(_UiRequestOpenUrl, total=False):
    instructions: str


class _UiRequestCancel(TypedDict):
    id: str
    method: Literal["cancel"]
    targetId: str


class UiRequestCancel(_UiRequestCancel, total=False):
    timedOut: Literal[True]
    answeredBy: str


UiRequest = Union["UiRequestSelect", "UiRequestConfirm", "UiRequestInput", "UiRequestEditor", "UiRequestNotify", "UiRequestSetStatus", "UiRequestSetWidget", "UiRequestSetTitle", "UiRequestSetEditorText", "UiRequestOpenUrl", "UiRequestCancel"]


class UsageCost(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class _Usage(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    cost: "UsageCost"


class Usage(_Usage, total=False):
    totalTokens: float


UserContent = List[Union["TextContent", "ImageContent"]]


class _UserMessage(TypedDict):
    role: Literal["user"]
    content: Union[str, "UserContent"]
    timestamp: float


class UserMessage(_UserMessage, total=False):
    attachments: List["Attachment"]


class _VerificationAttempt(TypedDict):
    attempt: float
    status: Literal["passed", "failed", "skipped"]
    startedAt: float
    endedAt: float
    commandResults: List["VerificationCommandResult"]


class VerificationAttempt(_VerificationAttempt, total=False):
    error: str


class _VerificationCommandResult(TypedDict):
    name: str
    command: str
    exitCode: float
    durationMs: float


class VerificationCommandResult(_VerificationCommandResult, total=False):
    optional: bool
    timedOut: bool
    artifactPath: str
    outputPreview: str


VerificationOnFailure = Literal["return_failure", "retry_once", "discard_patch"]


class VerificationRequest(TypedDict, total=False):
    """The commands that the work of a task must pass: a profile of the settings, or fields that override those of the profile."""

    profile: str
    mode: str
    commands: List[Any]
    lspDiagnostics: bool
    maxRetries: float
    onFailure: "VerificationOnFailure"


class _VerificationResult(TypedDict):
    requested: bool
    status: Literal["not_requested", "passed", "failed", "skipped"]
    attempts: List["VerificationAttempt"]
    retriesUsed: float


class VerificationResult(_VerificationResult, total=False):
    profile: str
    mode: Literal["none", "command"]
    onFailure: "VerificationOnFailure"


class AbortAndPromptResult(TypedDict):
    disposition: Literal["started", "queued", "handled"]


class BranchResult(TypedDict):
    text: str
    cancelled: bool


class CancelLoginResult(TypedDict):
    cancelled: bool


class _CancelSubmissionResultSubmission(TypedDict):
    id: str
    queue: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    createdMs: float


class CancelSubmissionResultSubmission(_CancelSubmissionResultSubmission, total=False):
    worker: str
    startedMs: float
    endedMs: float
    error: str


class CancelSubmissionResult(TypedDict):
    submission: "CancelSubmissionResultSubmission"


class ClearQueueResult(TypedDict):
    steering: List[str]
    followUp: List[str]


class CloneResult(TypedDict):
    cancelled: bool


class ContinueRunResult(TypedDict):
    disposition: Literal["started"]


class CycleModelResultOption(TypedDict):
    model: "Model"
    thinkingLevel: "ThinkingLevel"
    isScoped: bool


CycleModelResult = Union["CycleModelResultOption", None]


class CycleThinkingLevelResultOption(TypedDict):
    level: "ThinkingLevel"


CycleThinkingLevelResult = Union["CycleThinkingLevelResultOption", None]


class EditQueuedMessageResult(TypedDict):
    disposition: Literal["queued", "handled"]


class ExportHtmlResult(TypedDict):
    path: str


class _FindSessionResultSession(TypedDict):
    id: str
    path: str
    cwd: str
    firstPrompt: str
    createdMs: float
    modifiedMs: float
    messageCount: float
    cost: float
    bytes: float
    interrupted: bool


class FindSessionResultSession(_FindSessionResultSession, total=False):
    name: str
    parentSession: str
    match: str


class FindSessionResult(TypedDict):
    session: "FindSessionResultSession"


class FollowUpResult(TypedDict):
    disposition: Literal["started", "queued", "handled"]


class GetAvailableCommandsResult(TypedDict):
    commands: List["SlashCommandEntry"]


class GetAvailableModelsResult(TypedDict):
    models: List["Model"]


class GetAvailableThinkingLevelsResult(TypedDict):
    levels: List["ThinkingLevel"]


class GetBranchMessagesResultMessagesItem(TypedDict):
    entryId: str
    text: str


class GetBranchMessagesResult(TypedDict):
    messages: List["GetBranchMessagesResultMessagesItem"]


class _GetCommandsResultCommandsItem(TypedDict):
    name: str
    source: Literal["extension", "prompt", "skill"]


class GetCommandsResultCommandsItem(_GetCommandsResultCommandsItem, total=False):
    description: str
    location: Literal["user", "project", "path"]
    path: str
    baseDir: str


class GetCommandsResult(TypedDict):
    commands: List["GetCommandsResultCommandsItem"]


class GetContextBreakdownResultSystemPrompt(TypedDict):
    tokens: float


class GetContextBreakdownResultContextFilesItem(TypedDict):
    path: str
    tokens: float


class GetContextBreakdownResultToolsItem(TypedDict):
    name: str
    tokens: float


class GetContextBreakdownResultMessages(TypedDict):
    count: float
    tokens: float


class GetContextBreakdownResult(TypedDict):
    contextWindow: float
    tokens: float
    systemPrompt: "GetContextBreakdownResultSystemPrompt"
    contextFiles: List["GetContextBreakdownResultContextFilesItem"]
    tools: List["GetContextBreakdownResultToolsItem"]
    messages: "GetContextBreakdownResultMessages"


class GetEntriesResult(TypedDict):
    entries: List["SessionEntry"]
    leafId: Union[str, None]


class GetLastAssistantTextResult(TypedDict):
    text: Union[str, None]


class GetLoginProvidersResultProvidersItem(TypedDict):
    id: str
    name: str
    available: bool
    authenticated: bool


class GetLoginProvidersResult(TypedDict):
    providers: List["GetLoginProvidersResultProvidersItem"]


class _GetMcpServersResultServersItem(TypedDict):
    name: str
    state: Literal["connecting", "connected", "waiting", "failed", "sign_in_required"]
    toolCount: float


class GetMcpServersResultServersItem(_GetMcpServersResultServersItem, total=False):
    problem: str


class GetMcpServersResult(TypedDict):
    servers: List["GetMcpServersResultServersItem"]


class GetMessagesResult(TypedDict):
    messages: List["AgentMessage"]


class _GetMessagesPageResult(TypedDict):
    messages: List["AgentMessage"]
    totalMessages: float


class GetMessagesPageResult(_GetMessagesPageResult, total=False):
    nextCursor: str


class GetMessagesRangeResult(TypedDict):
    messages: List["AgentMessage"]
    start: float
    totalMessages: float
    sessionId: str


class GetQueueResultItemsItem(TypedDict):
    id: str
    kind: Literal["steer", "followUp"]
    text: str
    images: float


class GetQueueResult(TypedDict):
    items: List["GetQueueResultItemsItem"]


class GetSchemaResult(TypedDict):
    dialect: str
    schema: Dict[str, Any]


class GetSettingsResultUser(TypedDict):
    file: str
    settings: Dict[str, Any]


class GetSettingsResultProject(TypedDict):
    file: str
    trusted: bool
    settings: Dict[str, Any]


class GetSettingsResultSession(TypedDict):
    settings: Dict[str, Any]


class _GetSettingsResultEffectiveValue(TypedDict):
    source: Literal["default", "flag", "start", "user", "project", "session"]


class GetSettingsResultEffectiveValue(_GetSettingsResultEffectiveValue, total=False):
    value: Any
    nextValue: Any


class GetSettingsResult(TypedDict, total=False):
    user: "GetSettingsResultUser"
    project: "GetSettingsResultProject"
    session: "GetSettingsResultSession"
    effective: Dict[str, "GetSettingsResultEffectiveValue"]


class _GetSettingsSchemaResultSettingsItem(TypedDict):
    name: str
    doc: str
    schema: Dict[str, Any]
    restricts: bool
    project: Literal["replaces", "restricts", "ignored"]
    session: bool


class GetSettingsSchemaResultSettingsItem(_GetSettingsSchemaResultSettingsItem, total=False):
    default: Any


class GetSettingsSchemaResult(TypedDict):
    settings: List["GetSettingsSchemaResultSettingsItem"]


class GetSubagentMessagesResult(TypedDict):
    sessionFile: str
    fromByte: float
    nextByte: float
    reset: bool
    entries: List[Union["SessionHeader", "SessionEntry"]]
    messages: List["AgentMessage"]


class GetSubagentsResult(TypedDict):
    subagents: List["SubagentSnapshot"]


class _GetSubmissionResultSubmission(TypedDict):
    id: str
    queue: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    createdMs: float


class GetSubmissionResultSubmission(_GetSubmissionResultSubmission, total=False):
    worker: str
    startedMs: float
    endedMs: float
    error: str


class _GetSubmissionResultResult(TypedDict):
    status: Literal["succeeded", "failed", "cancelled"]
    text: str
    hasPatch: bool
    cost: float
    worker: str


class GetSubmissionResultResult(_GetSubmissionResultResult, total=False):
    error: str
    commit: str
    verification: "VerificationResult"


class _GetSubmissionResult(TypedDict):
    submission: "GetSubmissionResultSubmission"


class GetSubmissionResult(_GetSubmissionResult, total=False):
    result: "GetSubmissionResultResult"


class GetSubmissionPatchResult(TypedDict, total=False):
    base64: str


class GetTreeResult(TypedDict):
    tree: List["EntryTree"]
    leafId: Union[str, None]


class HandoffResultOption(TypedDict, total=False):
    savedPath: str


HandoffResult = Union["HandoffResultOption", None]


class _ListArtifactsResultArtifactsItem(TypedDict):
    id: str
    toolName: str
    bytes: float
    path: str


class ListArtifactsResultArtifactsItem(_ListArtifactsResultArtifactsItem, total=False):
    createdMs: float


class ListArtifactsResult(TypedDict):
    artifacts: List["ListArtifactsResultArtifactsItem"]


class ListModelsResultModelsItemCost(TypedDict):
    input: float
    output: float
    cacheRead: float
    cacheWrite: float


class _ListModelsResultModelsItem(TypedDict):
    provider: str
    id: str
    name: str
    reasoning: bool
    input: List[Literal["text", "image"]]
    contextWindow: float
    maxTokens: float
    cost: "ListModelsResultModelsItemCost"
    usable: bool


class ListModelsResultModelsItem(_ListModelsResultModelsItem, total=False):
    thinkingLevels: List["ThinkingLevel"]
    reason: str


class _ListModelsResultProvidersItem(TypedDict):
    id: str
    name: str
    hasCredentials: bool


class ListModelsResultProvidersItem(_ListModelsResultProvidersItem, total=False):
    reason: str


class ListModelsResult(TypedDict):
    models: List["ListModelsResultModelsItem"]
    providers: List["ListModelsResultProvidersItem"]


class _ListSessionsResultSessionsItem(TypedDict):
    id: str
    path: str
    cwd: str
    firstPrompt: str
    createdMs: float
    modifiedMs: float
    messageCount: float
    cost: float
    bytes: float
    interrupted: bool


class ListSessionsResultSessionsItem(_ListSessionsResultSessionsItem, total=False):
    name: str
    parentSession: str
    match: str


class _ListSessionsResult(TypedDict):
    sessions: List["ListSessionsResultSessionsItem"]


class ListSessionsResult(_ListSessionsResult, total=False):
    nextCursor: str


class _ListSubmissionsResultSubmissionsItem(TypedDict):
    id: str
    queue: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    createdMs: float


class ListSubmissionsResultSubmissionsItem(_ListSubmissionsResultSubmissionsItem, total=False):
    worker: str
    startedMs: float
    endedMs: float
    error: str


class ListSubmissionsResult(TypedDict):
    submissions: List["ListSubmissionsResultSubmissionsItem"]


class LoginResult(TypedDict):
    providerId: str


class MoveSessionResult(TypedDict):
    sessionId: str
    path: str
    cwd: str
    reopened: bool


class NegotiateProtocolResult(TypedDict):
    protocolVersion: Literal[2]


class NewSessionResult(TypedDict):
    cancelled: bool


class _OpenSessionResult(TypedDict):
    cancelled: bool
    resumed: bool
    sessionId: str


class OpenSessionResult(_OpenSessionResult, total=False):
    sessionFile: str


class PromptResult(TypedDict):
    disposition: Literal["started", "queued", "handled"]


class _ReadArtifactResult(TypedDict):
    totalBytes: float


class ReadArtifactResult(_ReadArtifactResult, total=False):
    text: str
    base64: str
    nextOffset: float


class RemoveQueuedMessageResult(TypedDict):
    text: str


class SetEventFilterResult(TypedDict):
    events: Union[List[str], None]


class SetFastModeResult(TypedDict):
    enabled: bool
    active: bool


class SetHostToolsResult(TypedDict):
    toolNames: List[str]


class SetHostUriSchemesResult(TypedDict):
    schemes: List[str]


class SetPermissionModeResult(TypedDict):
    mode: "PermissionMode"


class SetSettingsResultUser(TypedDict):
    file: str
    settings: Dict[str, Any]


class SetSettingsResultProject(TypedDict):
    file: str
    trusted: bool
    settings: Dict[str, Any]


class SetSettingsResultSession(TypedDict):
    settings: Dict[str, Any]


class _SetSettingsResultEffectiveValue(TypedDict):
    source: Literal["default", "flag", "start", "user", "project", "session"]


class SetSettingsResultEffectiveValue(_SetSettingsResultEffectiveValue, total=False):
    value: Any
    nextValue: Any


class SetSettingsResult(TypedDict, total=False):
    user: "SetSettingsResultUser"
    project: "SetSettingsResultProject"
    session: "SetSettingsResultSession"
    effective: Dict[str, "SetSettingsResultEffectiveValue"]


class SetSubagentSubscriptionResult(TypedDict):
    level: Literal["off", "progress", "events"]


class SetTodosResult(TypedDict):
    todoPhases: List["TodoPhase"]


class StartSubagentResult(TypedDict):
    subagentId: str


class SteerResult(TypedDict):
    disposition: Literal["started", "queued", "handled"]


class _SubmitResultSubmission(TypedDict):
    id: str
    queue: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    createdMs: float


class SubmitResultSubmission(_SubmitResultSubmission, total=False):
    worker: str
    startedMs: float
    endedMs: float
    error: str


class SubmitResult(TypedDict):
    submission: "SubmitResultSubmission"
    isNew: bool


class SwitchSessionResult(TypedDict):
    cancelled: bool


class AgentStartEvent(TypedDict):
    """A run starts: the agent begins to work on a prompt."""

    type: Literal["agent_start"]


class AgentEndEvent(TypedDict):
    """A run has ended. `messages` holds the messages of this run, not the whole history; `willRetry` is true when another run follows automatically."""

    type: Literal["agent_end"]
    messages: List["AgentMessage"]
    willRetry: bool


class AgentSettledEvent(TypedDict):
    """Nothing automatic remains: no retry, no compaction, no queued continuation. The session waits for the host."""

    type: Literal["agent_settled"]
    aborted: bool


class SessionSettledEvent(TypedDict):
    """Sent after agent_settled and after the outcome of every prompt of the run, unless another prompt is about to start."""

    type: Literal["session_settled"]


class TurnStartEvent(TypedDict):
    """A turn starts: one answer of the model and its tool calls."""

    type: Literal["turn_start"]


class TurnEndEvent(TypedDict):
    """A turn has ended, with the answer of the model and the results of its tool calls."""

    type: Literal["turn_end"]
    message: "AssistantMessage"
    toolResults: List["ToolResultMessage"]


class MessageStartEvent(TypedDict):
    """A message starts. An assistant message starts empty."""

    type: Literal["message_start"]
    message: "AgentMessage"


class MessageUpdateEvent(TypedDict):
    """An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. The values of an end event (`content`, `toolCall`) are final and replace the deltas before it, because a provider may correct what it streamed."""

    type: Literal["message_update"]
    message: "AssistantMessage"
    assistantMessageEvent: "StreamEvent"


class MessageEndEvent(TypedDict):
    """A message is complete. It is on disk, unless the session is not persisted."""

    type: Literal["message_end"]
    message: "AgentMessage"


class ToolExecutionStartEvent(TypedDict):
    """A tool call starts."""

    type: Literal["tool_execution_start"]
    toolCallId: str
    toolName: str
    args: Dict[str, Any]


class _ToolExecutionUpdateEventPartialResult(TypedDict):
    content: List[Union["TextContent", "ImageContent"]]


class ToolExecutionUpdateEventPartialResult(_ToolExecutionUpdateEventPartialResult, total=False):
    details: Any


class ToolExecutionUpdateEvent(TypedDict):
    """A tool is working. `partialResult` is everything so far, not the difference."""

    type: Literal["tool_execution_update"]
    toolCallId: str
    toolName: str
    args: Dict[str, Any]
    partialResult: "ToolExecutionUpdateEventPartialResult"


class _ToolExecutionEndEventResult(TypedDict):
    content: List[Union["TextContent", "ImageContent"]]


class ToolExecutionEndEventResult(_ToolExecutionEndEventResult, total=False):
    details: Any


class _ToolExecutionEndEvent(TypedDict):
    type: Literal["tool_execution_end"]
    toolCallId: str
    toolName: str
    result: "ToolExecutionEndEventResult"
    isError: bool


class ToolExecutionEndEvent(_ToolExecutionEndEvent, total=False):
    """A tool call has ended. `durationMs` is only sent in dialects that define it."""

    durationMs: float


class AutoCompactionStartEvent(TypedDict):
    """Automatic compaction starts: the context is close to the limit of the context window (`threshold`) or exceeds it (`overflow`)."""

    type: Literal["auto_compaction_start"]
    reason: Literal["threshold", "overflow"]


class _AutoCompactionEndEvent(TypedDict):
    type: Literal["auto_compaction_end"]
    result: Union["CompactionResult", None]
    aborted: bool
    willRetry: bool


class AutoCompactionEndEvent(_AutoCompactionEndEvent, total=False):
    """Automatic compaction has ended. `result` is null when it was aborted or failed; `willRetry` is true when the rejected request is sent again."""

    errorMessage: str


class CompactionStartEvent(TypedDict):
    """A requested compaction starts."""

    type: Literal["compaction_start"]
    reason: Literal["manual"]


class _CompactionEndEvent(TypedDict):
    type: Literal["compaction_end"]
    reason: Literal["manual"]
    result: Union["CompactionResult", None]
    aborted: bool
    willRetry: bool


class CompactionEndEvent(_CompactionEndEvent, total=False):
    """A requested compaction has ended. `result` is null when it was aborted, refused or failed."""

    errorMessage: str


class AutoRetryStartEvent(TypedDict):
    """The provider failed with a temporary error. Another run starts automatically after `delayMs` milliseconds."""

    type: Literal["auto_retry_start"]
    attempt: float
    maxAttempts: float
    delayMs: float
    errorMessage: str


class _AutoRetryEndEvent(TypedDict):
    type: Literal["auto_retry_end"]
    success: bool
    attempt: float


class AutoRetryEndEvent(_AutoRetryEndEvent, total=False):
    """Retrying has ended: a request succeeded, all attempts failed, or the retry was cancelled."""

    finalError: str


class QueueUpdateEvent(TypedDict):
    """The queued messages have changed. Contains the texts of both queues, oldest first."""

    type: Literal["queue_update"]
    steering: List[str]
    followUp: List[str]


class SessionInfoChangedEvent(TypedDict):
    """The display name of the session has changed."""

    type: Literal["session_info_changed"]
    name: str


class ThinkingLevelChangedEvent(TypedDict):
    """The thinking level has changed, from the next request on: it was set, or the new model does not support the previous level."""

    type: Literal["thinking_level_changed"]
    level: "ThinkingLevel"


class _StateChangedEventState(TypedDict):
    model: Union["Model", None]
    thinkingLevel: "ThinkingLevel"
    isStreaming: bool
    isCompacting: bool
    isSettled: bool
    steeringMode: "QueueMode"
    followUpMode: "QueueMode"
    interruptMode: "InterruptMode"
    sessionId: str
    trusted: bool
    permissionMode: "PermissionMode"
    autoCompactionEnabled: bool
    fastModeEnabled: bool
    fastModeActive: bool
    tokensPerSecond: Union[float, None]
    messageCount: float
    queuedMessageCount: float
    pendingMessageCount: float


class StateChangedEventState(_StateChangedEventState, total=False):
    isInterrupted: bool
    sessionFile: str
    sessionName: str


class StateChangedEvent(TypedDict):
    """A command of some client has changed the state of the session: its model, a mode, its name. Sent only to clients of a server."""

    type: Literal["state_changed"]
    state: "StateChangedEventState"


class AvailableCommandsUpdateEvent(TypedDict):
    """The slash commands may have changed: extensions were reloaded, or the project is trusted now. The same list as that of get_available_commands, which hosts call first."""

    type: Literal["available_commands_update"]
    commands: List["SlashCommandEntry"]


class ConversationChangedEvent(TypedDict):
    """The path of the conversation was replaced, so that messages loaded earlier may not be part of it: the session has moved to another entry (`moved`), has switched to another conversation (`switched`), or old messages were replaced by a summary (`compacted`). `leafId` is the entry at which the conversation continues."""

    type: Literal["conversation_changed"]
    sessionId: str
    leafId: Union[str, None]
    reason: Literal["moved", "switched", "compacted"]


class _BashExecutionUpdateEvent(TypedDict):
    type: Literal["bash_execution_update"]
    delta: str


class BashExecutionUpdateEvent(_BashExecutionUpdateEvent, total=False):
    """New output of a `bash` command, in order. `id` is the id of the call. A host that reads too slowly misses some updates; the response contains the end of the output."""

    id: Union[str, float]


class SubagentStartEvent(TypedDict):
    """A subagent starts to work on its task. Tasks that are refused or cancelled before that have no events."""

    type: Literal["subagent_start"]
    id: str
    agent: str
    isolated: bool


class SubagentSessionEvent(TypedDict):
    """The session of a subagent is open. Contains its model, its tools and its prompt. A repair run has its own session and its own event."""

    type: Literal["subagent_session"]
    id: str
    model: str
    contextWindow: float
    tools: List[str]
    prompt: str


class SubagentEndEventNestedPatchesItem(TypedDict):
    path: str
    patchPath: str


class SubagentEndEventNewRepositoriesItem(TypedDict):
    path: str
    keptPath: str


class _SubagentEndEvent(TypedDict):
    type: Literal["subagent_end"]
    id: str
    agent: str
    exitCode: float


class SubagentEndEvent(_SubagentEndEvent, total=False):
    """A subagent has ended, its work is verified and its worktree is removed. Sent exactly once for each subagent_start. When `exitCode` is not 0, the fields from `error` on give the reason and the location of its saved changes."""

    verification: "VerificationResult"
    error: str
    aborted: bool
    abortReason: str
    patchPath: str
    nestedPatches: List["SubagentEndEventNestedPatchesItem"]
    newRepositories: List["SubagentEndEventNewRepositoriesItem"]


class _SubagentVerificationStartEvent(TypedDict):
    type: Literal["subagent_verification_start"]
    id: str
    attempt: float


class SubagentVerificationStartEvent(_SubagentVerificationStartEvent, total=False):
    """A verification attempt starts."""

    profile: str


class SubagentVerificationCommandStartEvent(TypedDict):
    """A verification command starts."""

    type: Literal["subagent_verification_command_start"]
    id: str
    attempt: float
    commandName: str


class _SubagentVerificationCommandEndEvent(TypedDict):
    type: Literal["subagent_verification_command_end"]
    id: str
    attempt: float
    commandName: str
    exitCode: float
    durationMs: float


class SubagentVerificationCommandEndEvent(_SubagentVerificationCommandEndEvent, total=False):
    """A verification command has ended. `artifactId` is the path of its output, if there was any."""

    artifactId: str


class SubagentVerificationEndEvent(TypedDict):
    """A verification attempt has ended. The status is `budget_exceeded` when the budget stopped the attempt or the repair that would have followed."""

    type: Literal["subagent_verification_end"]
    id: str
    attempt: float
    status: Literal["passed", "failed", "skipped", "budget_exceeded"]


class SubagentLifecycleEvent(TypedDict):
    """A subagent has started or ended. Sent only to hosts that subscribed with set_subagent_subscription."""

    type: Literal["subagent_lifecycle"]
    payload: "SubagentLifecycle"


class SubagentProgressEvent(TypedDict):
    """The progress of a subagent. Sent at a limited rate, only to hosts that subscribed with set_subagent_subscription."""

    type: Literal["subagent_progress"]
    payload: "SubagentProgressPayload"


class SubagentEventEventPayload(TypedDict):
    id: str
    event: Union["AgentStartEvent", "AgentEndEvent", "AgentSettledEvent", "SessionSettledEvent", "TurnStartEvent", "TurnEndEvent", "MessageStartEvent", "MessageUpdateEvent", "MessageEndEvent", "ToolExecutionStartEvent", "ToolExecutionUpdateEvent", "ToolExecutionEndEvent", "AutoCompactionStartEvent", "AutoCompactionEndEvent", "CompactionStartEvent", "CompactionEndEvent", "AutoRetryStartEvent", "AutoRetryEndEvent", "QueueUpdateEvent", "SessionInfoChangedEvent", "ThinkingLevelChangedEvent", "AvailableCommandsUpdateEvent", "BashExecutionUpdateEvent", "SubagentStartEvent", "SubagentEndEvent", "SubagentVerificationStartEvent", "SubagentVerificationCommandStartEvent", "SubagentVerificationCommandEndEvent", "SubagentVerificationEndEvent", "SubagentLifecycleEvent", "SubagentProgressEvent", "BudgetWarningEvent", "BudgetExceededEvent", "TtsrTriggeredEvent", "TodoReminderEvent", "ExtensionErrorEvent", "NoticeEvent", "MessageUpdateDeltaEvent"]


class SubagentEventEvent(TypedDict):
    """An event of the session of a subagent, in the form its own host would receive. Sent only at the level `events` of set_subagent_subscription."""

    type: Literal["subagent_event"]
    payload: "SubagentEventEventPayload"


class BudgetWarningEvent(TypedDict):
    """A budget limit is nearly reached. Sent once for each dimension, at `task.budget.warnAtRatio` of its limit."""

    type: Literal["budget_warning"]
    scope: "BudgetScope"
    snapshot: "BudgetSnapshot"


class BudgetExceededEvent(TypedDict):
    """A budget limit is reached. Sent once for each scope: the session accepts no more prompts, a call of the task tool starts no more subagents, or a subagent is stopped."""

    type: Literal["budget_exceeded"]
    scope: "BudgetScope"
    snapshot: "BudgetSnapshot"


class TtsrTriggeredEvent(TypedDict):
    """The output of the model matched the trigger of one or more rules, and the request was aborted. The following agent_end has `willRetry: true`; another run starts automatically with a reminder of the rules."""

    type: Literal["ttsr_triggered"]
    rules: List["Rule"]


class TodoReminderEvent(TypedDict):
    """The model stopped with unfinished todo items. Another run starts automatically with a reminder of them."""

    type: Literal["todo_reminder"]
    todos: List["TodoItem"]
    attempt: float
    maxAttempts: float


class SkillLoadedEvent(TypedDict):
    """A skill is used: the user invoked it by name, or the model has read its file."""

    type: Literal["skill_loaded"]
    name: str
    description: str


class ExtensionErrorEvent(TypedDict):
    """An extension failed. The agent continues without its result."""

    type: Literal["extension_error"]
    extensionPath: str
    event: str
    error: str


class _NoticeEvent(TypedDict):
    type: Literal["notice"]
    level: Literal["info", "warning", "error"]
    message: str


class NoticeEvent(_NoticeEvent, total=False):
    """A message for the user, for example that the disk is full."""

    source: str
    offset: float


class MessageUpdateDeltaEventAssistantMessageEventTextStart(TypedDict):
    type: Literal["text_start"]
    contentIndex: float


class MessageUpdateDeltaEventAssistantMessageEventTextDelta(TypedDict):
    type: Literal["text_delta"]
    contentIndex: float
    delta: str


class MessageUpdateDeltaEventAssistantMessageEventTextEnd(TypedDict):
    type: Literal["text_end"]
    contentIndex: float
    content: str


class MessageUpdateDeltaEventAssistantMessageEventThinkingStart(TypedDict):
    type: Literal["thinking_start"]
    contentIndex: float


class MessageUpdateDeltaEventAssistantMessageEventThinkingDelta(TypedDict):
    type: Literal["thinking_delta"]
    contentIndex: float
    delta: str


class MessageUpdateDeltaEventAssistantMessageEventThinkingEnd(TypedDict):
    type: Literal["thinking_end"]
    contentIndex: float
    content: str


class MessageUpdateDeltaEventAssistantMessageEventToolcallStart(TypedDict):
    type: Literal["toolcall_start"]
    contentIndex: float
    id: str
    toolName: str


class MessageUpdateDeltaEventAssistantMessageEventToolcallDelta(TypedDict):
    type: Literal["toolcall_delta"]
    contentIndex: float
    delta: str


class MessageUpdateDeltaEventAssistantMessageEventToolcallEnd(TypedDict):
    type: Literal["toolcall_end"]
    contentIndex: float
    toolCall: "ToolCall"


class MessageUpdateDeltaEvent(TypedDict):
    type: Literal["message_update"]
    assistantMessageEvent: Union["MessageUpdateDeltaEventAssistantMessageEventTextStart", "MessageUpdateDeltaEventAssistantMessageEventTextDelta", "MessageUpdateDeltaEventAssistantMessageEventTextEnd", "MessageUpdateDeltaEventAssistantMessageEventThinkingStart", "MessageUpdateDeltaEventAssistantMessageEventThinkingDelta", "MessageUpdateDeltaEventAssistantMessageEventThinkingEnd", "MessageUpdateDeltaEventAssistantMessageEventToolcallStart", "MessageUpdateDeltaEventAssistantMessageEventToolcallDelta", "MessageUpdateDeltaEventAssistantMessageEventToolcallEnd"]


class Ready(TypedDict):
    type: Literal["ready"]
    version: str
    protocolVersion: Literal[1]
    dialect: Literal["omp"]
    supportedProtocolVersions: List[float]
    maxFrameBytes: float
    maxReassembledFrameBytes: float


AgentEvent = Union["AgentStartEvent", "AgentEndEvent", "AgentSettledEvent", "SessionSettledEvent", "TurnStartEvent", "TurnEndEvent", "MessageStartEvent", "MessageUpdateEvent", "MessageEndEvent", "ToolExecutionStartEvent", "ToolExecutionUpdateEvent", "ToolExecutionEndEvent", "AutoCompactionStartEvent", "AutoCompactionEndEvent", "CompactionStartEvent", "CompactionEndEvent", "AutoRetryStartEvent", "AutoRetryEndEvent", "QueueUpdateEvent", "SessionInfoChangedEvent", "ThinkingLevelChangedEvent", "StateChangedEvent", "AvailableCommandsUpdateEvent", "ConversationChangedEvent", "BashExecutionUpdateEvent", "SubagentStartEvent", "SubagentSessionEvent", "SubagentEndEvent", "SubagentVerificationStartEvent", "SubagentVerificationCommandStartEvent", "SubagentVerificationCommandEndEvent", "SubagentVerificationEndEvent", "SubagentLifecycleEvent", "SubagentProgressEvent", "SubagentEventEvent", "BudgetWarningEvent", "BudgetExceededEvent", "TtsrTriggeredEvent", "TodoReminderEvent", "SkillLoadedEvent", "ExtensionErrorEvent", "NoticeEvent", "MessageUpdateDeltaEvent"]

EVENT_TYPES: FrozenSet[str] = frozenset(
    {
        "agent_start",
        "agent_end",
        "agent_settled",
        "session_settled",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "message_end",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "auto_compaction_start",
        "auto_compaction_end",
        "compaction_start",
        "compaction_end",
        "auto_retry_start",
        "auto_retry_end",
        "queue_update",
        "session_info_changed",
        "thinking_level_changed",
        "state_changed",
        "available_commands_update",
        "conversation_changed",
        "bash_execution_update",
        "subagent_start",
        "subagent_session",
        "subagent_end",
        "subagent_verification_start",
        "subagent_verification_command_start",
        "subagent_verification_command_end",
        "subagent_verification_end",
        "subagent_lifecycle",
        "subagent_progress",
        "subagent_event",
        "budget_warning",
        "budget_exceeded",
        "ttsr_triggered",
        "todo_reminder",
        "skill_loaded",
        "extension_error",
        "notice",
    }
)

READ_COMMANDS: FrozenSet[str] = frozenset(
    {
        "find_session",
        "get_available_commands",
        "get_available_models",
        "get_available_thinking_levels",
        "get_branch_messages",
        "get_commands",
        "get_context_breakdown",
        "get_entries",
        "get_last_assistant_text",
        "get_login_providers",
        "get_mcp_servers",
        "get_messages",
        "get_messages_page",
        "get_messages_range",
        "get_queue",
        "get_schema",
        "get_session_stats",
        "get_settings",
        "get_settings_schema",
        "get_state",
        "get_subagent_messages",
        "get_subagents",
        "get_submission",
        "get_submission_patch",
        "get_tree",
        "list_artifacts",
        "list_models",
        "list_sessions",
        "list_submissions",
        "read_artifact",
    }
)
"""Commands that change nothing. A client sends them again after a broken connection."""

CONNECTION_COMMANDS: FrozenSet[str] = frozenset(
    {
        "set_event_filter",
        "set_host_tools",
        "set_host_uri_schemes",
        "set_subagent_subscription",
    }
)
"""Their effect ends with the connection. A client sends the last ones again on a new connection."""
