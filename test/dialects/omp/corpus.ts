// The frame formats of the protocol documents, with example values.
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import { createEmptyUsage, type StreamEvent, type UiRequest } from '../../../src/protocol/index.ts';

interface Row {
  frame: { id?: string | number; type: string } & Record<string, unknown>;
  /** The validated params, when they differ from the fields of the frame. */
  params?: Record<string, unknown>;
}

const flat = { type: 'image', data: 'R0lGODdh', mimeType: 'image/gif' };
const inline = { type: 'image', source: { type: 'base64', mediaType: 'image/webp', data: 'UklGRg==' } };
const remote = { type: 'image', source: { type: 'url', url: 'https://example.org/plan.png' } };
const withImages = { message: 'Look at these', images: [flat, inline, remote] };
const normalizedImages = {
  message: 'Look at these',
  images: [flat, { type: 'image', data: 'UklGRg==', mimeType: 'image/webp' }, remote],
};

export const COMMANDS: Row[] = [
  { frame: { id: 'a-1', type: 'prompt', message: 'Rename the parser' } },
  { frame: { type: 'prompt', ...withImages }, params: normalizedImages },
  { frame: { type: 'prompt', message: 'Shorter', streamingBehavior: 'steer' } },
  { frame: { id: 'a-2', type: 'prompt', message: 'Then the docs', streamingBehavior: 'followUp' } },
  { frame: { type: 'steer', message: 'Leave the tests alone' } },
  { frame: { id: 3, type: 'steer', ...withImages }, params: normalizedImages },
  { frame: { type: 'follow_up', message: 'Then run them' } },
  { frame: { type: 'follow_up', ...withImages }, params: normalizedImages },
  { frame: { type: 'abort' } },
  { frame: { id: 'a-3', type: 'abort_and_prompt', message: 'The other file' } },
  { frame: { type: 'abort_and_prompt', ...withImages }, params: normalizedImages },
  { frame: { id: 'a-7', type: 'continue_run' } },
  { frame: { type: 'new_session' } },
  { frame: { type: 'new_session', parentSession: '/srv/sessions/before.jsonl' } },
  { frame: { id: 'a-4', type: 'get_state' } },
  { frame: { type: 'get_messages' } },
  { frame: { type: 'set_model', provider: 'acme', modelId: 'acme-large-2' } },
  { frame: { type: 'cycle_model' } },
  { frame: { type: 'get_available_models' } },
  ...['off', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((level) => ({
    frame: { type: 'set_thinking_level', level },
  })),
  { frame: { type: 'cycle_thinking_level' } },
  { frame: { type: 'get_available_thinking_levels' } },
  { frame: { id: 'a-5', type: 'set_steering_mode', mode: 'all' } },
  { frame: { type: 'set_steering_mode', mode: 'one-at-a-time' } },
  { frame: { type: 'set_follow_up_mode', mode: 'all' } },
  { frame: { type: 'set_follow_up_mode', mode: 'one-at-a-time' } },
  { frame: { id: 'a-6', type: 'set_interrupt_mode', mode: 'wait' } },
  { frame: { type: 'set_interrupt_mode', mode: 'immediate' } },
  { frame: { type: 'clear_queue' } },
  { frame: { type: 'get_context_breakdown' } },
  { frame: { type: 'get_mcp_servers' } },
  { frame: { type: 'negotiate_protocol', protocolVersion: 2 } },
  { frame: { id: 'p-1', type: 'open_session', sessionDir: '/srv/sessions/parser' } },
  { frame: { type: 'set_fast_mode', enabled: true } },
  { frame: { type: 'set_permission_mode', mode: 'ask' } },
  { frame: { type: 'set_host_uri_schemes', schemes: [{ scheme: 'db', description: 'Rows', writable: true }] } },
  { frame: { type: 'handoff' } },
  { frame: { type: 'handoff', customInstructions: 'Name the tests' } },
  { frame: { type: 'get_schema' } },
  { frame: { type: 'shutdown' }, params: { mode: 'finish' } },
  { frame: { type: 'shutdown', mode: 'abort' } },
  { frame: { type: 'compact' } },
  { frame: { type: 'compact', customInstructions: 'Keep the file names' } },
  { frame: { type: 'set_auto_compaction', enabled: false } },
  { frame: { type: 'set_auto_retry', enabled: true } },
  { frame: { type: 'abort_retry' } },
  { frame: { type: 'bash', command: 'wc -l src/*.ts' } },
  { frame: { type: 'bash', command: 'env', excludeFromContext: true } },
  { frame: { type: 'abort_bash' } },
  { frame: { type: 'get_commands' } },
  { frame: { type: 'get_session_stats' } },
  { frame: { type: 'export_html' } },
  { frame: { type: 'export_html', outputPath: '/srv/out/session.html' } },
  { frame: { type: 'switch_session', sessionPath: '/srv/sessions/other.jsonl' } },
  { frame: { type: 'branch', entryId: '0000beef' } },
  { frame: { type: 'clone' } },
  { frame: { type: 'set_event_filter', events: null } },
  { frame: { type: 'set_event_filter', events: ['agent_end'] } },
  { frame: { type: 'set_host_tools', tools: [{ name: 'tab', description: 'Opens', parameters: { type: 'object' } }] } },
  { frame: { type: 'set_subagent_subscription', level: 'off' } },
  { frame: { type: 'set_subagent_subscription', level: 'progress' } },
  { frame: { type: 'set_subagent_subscription', level: 'events' } },
  { frame: { type: 'get_subagents' } },
  { frame: { type: 'get_subagents', includeEnded: true } },
  { frame: { id: 'b-1', type: 'start_subagent', agent: 'task', assignment: 'Fix the parser' } },
  {
    frame: {
      ...{ type: 'start_subagent', agent: 'task', assignment: 'Fix it', description: 'The parser', context: 'Briefly' },
      ...{ isolated: true, verify: { commands: [{ name: 'tests', command: 'npm test' }], onFailure: 'retry_once' } },
    },
  },
  { frame: { type: 'steer_subagent', subagentId: 'FixParser', message: 'Keep the names' } },
  { frame: { type: 'stop_subagent', subagentId: 'FixParser' } },
  { frame: { id: 'b-2', type: 'stop_subagent', subagentId: 'FixParser', reason: 'Done by hand' } },
  { frame: { type: 'resume_subagent', subagentId: 'FixParser', message: 'And the tests' } },
  { frame: { type: 'get_messages_page' } },
  { frame: { type: 'get_messages_page', cursor: 'abc', limit: 256 } },
  { frame: { type: 'get_messages_range' } },
  { frame: { type: 'get_messages_range', start: -100, end: 50 } },
  { frame: { type: 'get_queue' } },
  { frame: { type: 'edit_queued_message', messageId: '0000beef', message: 'Use tabs' } },
  { frame: { type: 'remove_queued_message', messageId: '0000beef' } },
  { frame: { type: 'move_queued_message', messageId: '0000beef', index: 0 } },
  { frame: { type: 'move_queued_message', messageId: '0000beef', kind: 'steer' } },
  { frame: { type: 'get_settings_schema' } },
  { frame: { type: 'get_settings' } },
  { frame: { type: 'get_settings', scope: 'user' } },
  { frame: { type: 'set_settings', scope: 'session', settings: { steeringMode: 'all' }, remove: ['retry.enabled'] } },
  { frame: { type: 'list_models' } },
  { frame: { type: 'list_models', query: 'sonnet' } },
  { frame: { type: 'list_sessions' } },
  { frame: { type: 'list_sessions', query: 'parser', cwd: '/srv', limit: 5, cursor: 'abc' } },
  { frame: { type: 'find_session', session: '0f8b' } },
  { frame: { type: 'move_session', sessionId: '0f8b', cwd: '/srv/other' } },
  { frame: { type: 'move_session', cwd: '../other' } },
  { frame: { type: 'submit', prompt: 'Fix the test' } },
  {
    frame: {
      ...{
        type: 'submit',
        prompt: 'Fix it',
        submissionId: 'fix-1',
        queue: 'build',
        repository: '/srv/app',
        commit: 'main',
      },
      ...{ verify: ['npm test'], onFailure: 'retry_once', priority: 3 },
    },
  },
  { frame: { type: 'get_submission', submissionId: 'fix-1' } },
  { frame: { type: 'get_submission_patch', submissionId: 'fix-1' } },
  { frame: { type: 'list_submissions' } },
  { frame: { type: 'list_submissions', queue: 'build', limit: 20 } },
  { frame: { type: 'cancel_submission', submissionId: 'fix-1' } },
  { frame: { type: 'list_artifacts' } },
  { frame: { type: 'read_artifact', artifactId: '0' } },
  { frame: { type: 'read_artifact', artifactId: '0', offset: 10, limit: 4096 } },
  { frame: { type: 'get_available_commands' } },
  { frame: { type: 'set_todos', phases: [{ name: 'A', tasks: [{ content: 'x', status: 'blocked' }] }] } },
  { frame: { type: 'get_login_providers' } },
  { frame: { type: 'login', providerId: 'github-copilot' } },
  { frame: { type: 'cancel_login', providerId: 'github-copilot' } },
  { frame: { type: 'get_subagent_messages', subagentId: 'FixParser' } },
  { frame: { type: 'get_subagent_messages', sessionFile: '/srv/sessions/one/FixParser.jsonl', fromByte: 1024 } },
  { frame: { type: 'get_branch_messages' } },
  { frame: { type: 'get_entries' } },
  { frame: { type: 'get_entries', since: '0000beef' } },
  { frame: { type: 'get_tree' } },
  { frame: { type: 'get_last_assistant_text' } },
  { frame: { type: 'set_session_name', name: 'Parser' } },
];

export const ANSWERS = [
  { type: 'extension_ui_response', id: 'q-1', value: 'feature/parser' },
  { type: 'extension_ui_response', id: 'q-2', confirmed: true },
  { type: 'extension_ui_response', id: 'q-3', confirmed: false },
  { type: 'extension_ui_response', id: 'q-4', cancelled: true },
];

export const ASKS: UiRequest[] = [
  { id: 'q-1', method: 'select', title: 'Which one?', options: ['left', 'right'], timeout: 5000 },
  { id: 'q-2', method: 'confirm', title: 'Sure?', message: 'It cannot be undone', timeout: 30_000 },
  { id: 'q-3', method: 'input', title: 'Name of the branch', placeholder: 'feature/…' },
  { id: 'q-4', method: 'editor', title: 'Edit the plan', prefill: '1. read' },
  { id: 'q-5', method: 'notify', message: 'Done', notifyType: 'warning' },
  { id: 'q-6', method: 'setStatus', statusKey: 'lint', statusText: 'clean' },
  { id: 'q-7', method: 'setWidget', widgetKey: 'todo', widgetLines: ['one', 'two'], widgetPlacement: 'aboveEditor' },
  { id: 'q-8', method: 'setTitle', title: 'Parser' },
  { id: 'q-9', method: 'set_editor_text', text: 'draft' },
  { id: 'q-10', method: 'open_url', url: 'https://example.org/device', instructions: 'Enter the code AB-12' },
];

const model = {
  id: 'acme-large-2',
  name: 'Acme Large 2',
  api: 'anthropic-messages',
  provider: 'acme',
  baseUrl: 'https://api.example.org',
  reasoning: true,
  input: ['text', 'image'],
  contextWindow: 128_000,
  maxTokens: 4096,
  cost: { input: 1, output: 4.5, cacheRead: 0.1, cacheWrite: 1.25 },
};

const user = { role: 'user', content: 'Count the lines', timestamp: 1_760_000_000_001 };
const attached = {
  ...user,
  content: [{ type: 'text', text: 'Count these' }, flat, remote],
  attachments: [
    {
      id: 'file-1',
      type: 'document',
      fileName: 'notes.txt',
      mimeType: 'text/plain',
      size: 5,
      content: 'bm90ZXM=',
      extractedText: 'notes',
      preview: null,
    },
  ],
};
const assistant = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'With wc', thinkingSignature: 'sig-1' },
    { type: 'text', text: 'One moment.' },
    { type: 'toolCall', id: 'call_9', name: 'bash', arguments: { command: 'wc -l a' } },
  ],
  api: 'anthropic-messages',
  provider: 'acme',
  model: 'acme-large-2',
  usage: {
    input: 90,
    output: 12,
    cacheRead: 7,
    cacheWrite: 3,
    cost: { input: 0.1, output: 0.2, cacheRead: 0.01, cacheWrite: 0.02, total: 0.33 },
  },
  stopReason: 'toolUse',
  timestamp: 1_760_000_000_002,
};
const failed = { ...assistant, content: [], stopReason: 'error', errorMessage: '529 overloaded' };
const toolResult = {
  role: 'toolResult',
  toolCallId: 'call_9',
  toolName: 'bash',
  content: [{ type: 'text', text: '12 a\n' }],
  details: { exitCode: 0 },
  isError: false,
  timestamp: 1_760_000_000_003,
};
const execution = {
  role: 'bashExecution',
  command: 'wc -l src/*.ts',
  output: '40 total\n',
  exitCode: 0,
  cancelled: false,
  truncated: false,
  timestamp: 1_760_000_000_004,
};

const outputCounts = { totalLines: 1, totalBytes: 9, outputLines: 1, outputBytes: 9 };

const compacted = { summary: 'Renamed it', firstKeptEntryId: '0000beef', tokensBefore: 90_000, details: {} };

const entry = { type: 'message', id: '0000beef', parentId: null, timestamp: '2025-10-09T08:53:20.001Z', message: user };

const verification = {
  requested: true,
  profile: 'ci',
  mode: 'command',
  status: 'failed',
  attempts: [
    {
      attempt: 1,
      status: 'failed',
      startedAt: 1_767_323_045_000,
      endedAt: 1_767_323_046_000,
      commandResults: [
        { name: 'lint', command: 'make lint', exitCode: 2, durationMs: 90, optional: true, timedOut: false },
        {
          name: 'tests',
          command: 'make test',
          exitCode: 124,
          durationMs: 812,
          timedOut: true,
          artifactPath: '/srv/sessions/this/FixParser.verify.a1-2-tests.log',
          outputPreview: '1 failed',
        },
      ],
      error: 'One or more verification commands failed.',
    },
  ],
  retriesUsed: 0,
  onFailure: 'return_failure',
};

const subagent = {
  id: 'FixParser',
  index: 0,
  agent: 'task',
  agentSource: 'bundled',
  sessionFile: '/srv/sessions/one/FixParser.jsonl',
  parentToolCallId: 'call_9',
};
const { id: _, ...identity } = subagent;
const assignment = { task: 'Be brief.\n\nFix it', assignment: 'Fix it' };
const progress = {
  ...{ index: 0, id: 'FixParser', agent: 'task', status: 'running', currentTool: 'bash' },
  ...{ recentTools: [{ tool: 'bash', args: 'npm test', endMs: 1_760_000_000_001 }], recentOutput: ['Looking'] },
  ...{ toolCount: 1, tokens: 980, durationMs: 1200 },
};

const SUBMISSION = { id: 'fix-1', queue: 'build', state: 'queued', createdMs: 1 };

const STORED = {
  ...{ id: 'one', path: '/srv/one.jsonl', cwd: '/srv', firstPrompt: 'Hello', createdMs: 1, modifiedMs: 2 },
  ...{ messageCount: 3, cost: 0.5, bytes: 400, interrupted: false },
};

/** The `data` of the response to each command. */
export const RESULTS: (readonly [command: string, data: unknown])[] = [
  ['steer', { disposition: 'queued' }],
  ['follow_up', { disposition: 'handled' }],
  ['new_session', { cancelled: false }],
  ['new_session', { cancelled: true }],
  [
    'get_state',
    {
      model,
      thinkingLevel: 'medium',
      isStreaming: true,
      isCompacting: false,
      isSettled: false,
      steeringMode: 'all',
      followUpMode: 'one-at-a-time',
      interruptMode: 'wait',
      sessionFile: '/srv/sessions/this.jsonl',
      sessionId: '7d9f',
      sessionName: 'Parser',
      trusted: true,
      permissionMode: 'ask',
      autoCompactionEnabled: true,
      messageCount: 5,
      queuedMessageCount: 2,
      pendingMessageCount: 2,
      fastModeEnabled: true,
      fastModeActive: false,
      tokensPerSecond: 41.5,
      todoPhases: [{ name: 'Parser', tasks: [{ id: '1', content: 'Read the grammar', status: 'pending' }] }],
    },
  ],
  [
    'get_state',
    {
      model: null,
      thinkingLevel: 'off',
      isStreaming: false,
      isCompacting: true,
      isSettled: true,
      steeringMode: 'one-at-a-time',
      followUpMode: 'all',
      interruptMode: 'immediate',
      sessionId: '7d9f',
      trusted: false,
      permissionMode: 'read-only',
      autoCompactionEnabled: false,
      messageCount: 0,
      queuedMessageCount: 0,
      pendingMessageCount: 0,
      fastModeEnabled: false,
      fastModeActive: false,
      tokensPerSecond: null,
      todoPhases: [],
    },
  ],
  ['get_messages', { messages: [user, attached, assistant, toolResult, execution] }],
  ['get_messages', { messages: [] }],
  ['set_model', model],
  ['cycle_model', { model, thinkingLevel: 'low', isScoped: true }],
  ['cycle_model', null],
  ['get_available_models', { models: [model] }],
  ['cycle_thinking_level', { level: 'high' }],
  ['cycle_thinking_level', null],
  ['get_available_thinking_levels', { levels: ['off', 'high'] }],
  ['clear_queue', { steering: ['Shorter'], followUp: [] }],
  [
    'get_context_breakdown',
    {
      contextWindow: 200000,
      tokens: 41,
      systemPrompt: { tokens: 20 },
      contextFiles: [{ path: '/srv/project/AGENTS.md', tokens: 5 }],
      tools: [{ name: 'read', tokens: 9 }],
      messages: { count: 1, tokens: 7 },
    },
  ],
  [
    'get_mcp_servers',
    {
      servers: [
        { name: 'files', state: 'connected', toolCount: 3 },
        { name: 'docs', state: 'sign_in_required', toolCount: 0, problem: 'Sign in.' },
      ],
    },
  ],
  ['negotiate_protocol', { protocolVersion: 2 }],
  ['open_session', { cancelled: false, resumed: true, sessionId: 's-1', sessionFile: '/srv/sessions/parser/a.jsonl' }],
  ['set_fast_mode', { enabled: true, active: true }],
  ['set_permission_mode', { mode: 'ask' }],
  ['set_host_uri_schemes', { schemes: ['db'] }],
  ['handoff', { savedPath: '/srv/sessions/a/handoff.md' }],
  ['handoff', null],
  ['get_schema', { dialect: 'omp', schema: { definitions: {} } }],
  ['compact', compacted],
  ['bash', { output: '40 total\n', exitCode: 0, cancelled: false, truncated: false, ...outputCounts }],
  ['bash', { output: '…', exitCode: 2, cancelled: false, truncated: true, ...outputCounts, artifactId: '4' }],
  ['bash', { output: '', cancelled: true, truncated: false, ...outputCounts }],
  [
    'get_commands',
    {
      commands: [
        { name: 'lint', description: 'Lint it', source: 'extension' },
        { name: 'review', source: 'prompt', location: 'user', path: '/srv/prompts/review.md' },
        { name: 'skill:pdf', source: 'skill', location: 'project', path: '/srv/skills/pdf/SKILL.md' },
      ],
    },
  ],
  [
    'get_session_stats',
    {
      sessionFile: '/srv/sessions/this.jsonl',
      sessionId: '7d9f',
      userMessages: 2,
      assistantMessages: 3,
      toolCalls: 4,
      toolResults: 4,
      totalMessages: 9,
      tokens: { input: 90, output: 12, cacheRead: 7, cacheWrite: 3, total: 112 },
      cost: 0.33,
    },
  ],
  ['export_html', { path: '/srv/out/session.html' }],
  ['switch_session', { cancelled: false }],
  ['switch_session', { cancelled: true }],
  ['branch', { text: 'Rename the parser', cancelled: false }],
  ['clone', { cancelled: false }],
  ['set_event_filter', { events: ['agent_end'] }],
  ['set_host_tools', { toolNames: ['tab'] }],
  ['branch', { text: 'Rename the parser', cancelled: true }],
  ['set_subagent_subscription', { level: 'events' }],
  ['get_subagents', { subagents: [] }],
  ['start_subagent', { subagentId: 'task-2' }],
  [
    'get_subagents',
    {
      subagents: [
        {
          ...{ ...subagent, status: 'failed', assignment: 'Fix it', lastUpdate: 1_760_000_000_001, isolated: true },
          ...{ durationMs: 1200, tokens: 40, cost: 0.01, error: 'Verification failed: tests', verification },
          ...{ patchPath: '/srv/sessions/one/FixParser.patch', applied: false },
        },
      ],
    },
  ],
  ['get_messages_page', { messages: [user], totalMessages: 2, nextCursor: 'abc' }],
  ['get_messages_page', { messages: [], totalMessages: 0 }],
  [
    'get_settings_schema',
    {
      settings: [
        {
          ...{ name: 'retry.enabled', doc: 'Retry failed requests.', schema: { type: 'boolean' }, default: true },
          ...{ restricts: false, project: 'replaces', session: true },
        },
      ],
    },
  ],
  ['get_settings', { user: { file: '/home/me/.parley/settings.json', settings: { steeringMode: 'all' } } }],
  ['get_settings', { effective: { steeringMode: { value: 'all', source: 'user', nextValue: 'one-at-a-time' } } }],
  ['set_settings', { session: { settings: { steeringMode: 'all' } } }],
  [
    'list_models',
    {
      models: [
        {
          ...{
            provider: 'acme',
            id: 'one',
            name: 'One',
            reasoning: false,
            input: ['text'],
            contextWindow: 8,
            maxTokens: 4,
          },
          ...{ cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, usable: false, reason: 'No credentials.' },
        },
      ],
      providers: [{ id: 'acme', name: 'Acme', hasCredentials: false, reason: 'No credentials.' }],
    },
  ],
  ['list_sessions', { sessions: [{ ...STORED, name: 'Parser', match: '…the parser…' }], nextCursor: 'abc' }],
  ['submit', { submission: SUBMISSION, isNew: true }],
  [
    'get_submission',
    {
      submission: { ...SUBMISSION, state: 'succeeded', worker: 'process 7 on build', startedMs: 2, endedMs: 3 },
      result: {
        status: 'succeeded',
        text: 'Fixed.',
        commit: 'abc',
        hasPatch: true,
        cost: 0.1,
        worker: 'process 7 on build',
      },
    },
  ],
  ['get_submission_patch', { base64: 'ZGlmZg==' }],
  ['get_submission_patch', {}],
  ['list_submissions', { submissions: [{ ...SUBMISSION, state: 'failed', error: 'The clone failed.' }] }],
  ['cancel_submission', { submission: { ...SUBMISSION, state: 'cancelled' } }],
  ['move_session', { sessionId: 'one', path: '/srv/one.jsonl', cwd: '/srv/other', reopened: true }],
  [
    'list_artifacts',
    { artifacts: [{ id: '0', toolName: 'bash', bytes: 9, createdMs: 1, path: '/srv/one/0.bash.log' }] },
  ],
  ['read_artifact', { text: 'output', totalBytes: 90, nextOffset: 6 }],
  ['read_artifact', { base64: 'AAAA', totalBytes: 3 }],
  ['find_session', { session: { ...STORED, parentSession: '/srv/other.jsonl' } }],
  ['get_queue', { items: [{ id: '0000beef', kind: 'followUp', text: 'Then test it', images: 1 }] }],
  ['edit_queued_message', { disposition: 'queued' }],
  ['remove_queued_message', { text: 'Then test it' }],
  ['move_queued_message', undefined],
  ['get_messages_range', { messages: [user], start: 7, totalMessages: 8, sessionId: 'one' }],
  ['get_available_commands', { commands: [{ name: 'review', description: 'Review it', source: 'file' }] }],
  ['set_todos', { todoPhases: [{ name: 'A', tasks: [{ content: 'x', status: 'abandoned' }] }] }],
  ['get_login_providers', { providers: [{ id: 'acme', name: 'Acme', available: true, authenticated: false }] }],
  ['login', { providerId: 'acme' }],
  ['cancel_login', { cancelled: true }],
  [
    'get_subagents',
    {
      subagents: [
        {
          ...subagent,
          description: 'The parser',
          status: 'running',
          ...assignment,
          lastUpdate: 1_760_000_000_001,
          progress,
        },
      ],
    },
  ],
  [
    'get_subagent_messages',
    {
      ...{ sessionFile: '/srv/sessions/one/FixParser.jsonl', fromByte: 0, nextByte: 512, reset: false },
      entries: [entry],
      messages: [user],
    },
  ],
  ['get_branch_messages', { messages: [{ entryId: '0000beef', text: 'Rename the parser' }] }],
  ['get_entries', { entries: [entry], leafId: '0000beef' }],
  ['get_entries', { entries: [], leafId: null }],
  ['get_tree', { tree: [{ entry, children: [{ entry, children: [], label: 'here' }] }], leafId: '0000beef' }],
  ['get_last_assistant_text', { text: 'Renamed.' }],
  ['get_last_assistant_text', { text: null }],
];

const call = { toolCallId: 'call_9', toolName: 'bash' };
const args = { command: 'wc -l a' };

const usage = {
  wallTimeMs: 61_000,
  inputTokens: 900,
  outputTokens: 80,
  totalTokens: 980,
  costUsd: 0.81,
  toolCalls: 4,
  subagents: 1,
};

export const EVENTS = [
  { type: 'agent_start' },
  { type: 'agent_end', messages: [user, assistant, toolResult], willRetry: false },
  { type: 'agent_settled', aborted: false },
  { type: 'session_settled' },
  { type: 'available_commands_update', commands: [{ name: 'review', description: 'Reviews', source: 'file' }] },
  { type: 'turn_start' },
  { type: 'turn_end', message: assistant, toolResults: [toolResult] },
  { type: 'message_start', message: user },
  { type: 'message_start', message: { ...assistant, content: [], usage: createEmptyUsage(), stopReason: 'stop' } },
  { type: 'message_end', message: failed },
  { type: 'message_end', message: toolResult },
  { type: 'tool_execution_start', ...call, args },
  {
    type: 'tool_execution_update',
    ...call,
    args,
    partialResult: { content: [{ type: 'text', text: '12' }], details: { lines: 1 } },
  },
  { type: 'tool_execution_end', ...call, result: { content: toolResult.content, details: {} }, isError: false },
  { type: 'auto_compaction_start', reason: 'threshold' },
  { type: 'auto_compaction_start', reason: 'overflow' },
  { type: 'auto_compaction_end', result: compacted, aborted: false, willRetry: true },
  { type: 'auto_compaction_end', result: null, aborted: true, willRetry: false },
  { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '529 {"type":"error"}' },
  { type: 'auto_retry_end', success: true, attempt: 2 },
  { type: 'auto_retry_end', success: false, attempt: 3, finalError: '529 overloaded' },
  { type: 'subagent_start', id: 'FixParser', agent: 'task', isolated: true },
  { type: 'subagent_verification_start', id: 'FixParser', attempt: 1, profile: 'ci' },
  { type: 'subagent_verification_start', id: 'FixParser', attempt: 1 },
  { type: 'subagent_verification_command_start', id: 'FixParser', attempt: 1, commandName: 'tests' },
  {
    type: 'subagent_verification_command_end',
    id: 'FixParser',
    attempt: 1,
    commandName: 'tests',
    exitCode: 1,
    durationMs: 812,
    artifactId: '/srv/sessions/this/FixParser.verify.a1-1-tests.log',
  },
  ...['passed', 'failed', 'skipped', 'budget_exceeded'].map((status) => ({
    type: 'subagent_verification_end',
    id: 'FixParser',
    attempt: 1,
    status,
  })),
  { type: 'subagent_end', id: 'FixParser', agent: 'task', exitCode: 0 },
  { type: 'subagent_end', id: 'FixParser', agent: 'task', exitCode: 1, verification },
  { type: 'subagent_lifecycle', payload: { ...subagent, description: 'The parser', status: 'started' } },
  ...['completed', 'failed', 'aborted'].map((status) => ({
    type: 'subagent_lifecycle',
    payload: { ...subagent, status },
  })),
  { type: 'subagent_progress', payload: { ...identity, ...assignment, progress } },
  { type: 'subagent_event', payload: { id: 'FixParser', event: { type: 'agent_start' } } },
  { type: 'budget_warning', scope: 'session', snapshot: { ...usage, status: 'warning', reason: 'cost' } },
  { type: 'budget_exceeded', scope: 'task', snapshot: { ...usage, status: 'exceeded', reason: 'wall_time' } },
  { type: 'budget_exceeded', scope: 'subagent', snapshot: { ...usage, status: 'ok' } },
  {
    type: 'ttsr_triggered',
    rules: [
      {
        name: 'no-any',
        path: '/srv/rules/no-any.md',
        content: 'Say what it is.',
        ttsrTrigger: ': any',
        _source: { provider: 'native', providerName: 'Parley', path: '/srv/rules/no-any.md', level: 'project' },
      },
    ],
  },
  {
    type: 'todo_reminder',
    todos: [{ id: '2', content: 'Test it', activeForm: 'Testing it', status: 'in_progress' }],
    attempt: 1,
    maxAttempts: 3,
  },
  { type: 'extension_error', extensionPath: '/srv/ext/lint.ts', event: 'turn_start', error: 'lint is not defined' },
  { type: 'notice', level: 'error', message: 'The disk is full', source: 'storage' },
];

/** One answer with a block of each kind. All events share one growing message object, like those of a model API. */
export function* streamEvents(): Generator<StreamEvent> {
  const builder = new MessageBuilder({ api: 'anthropic-messages', provider: 'acme', id: 'acme-large-2' }, 1);
  yield builder.startThinking();
  yield builder.appendThinking('With');
  yield builder.appendThinking(' wc');
  yield builder.endThinking('sig-1');
  yield builder.startText();
  yield builder.appendText('One "moment"\n');
  builder.setUsage({ ...createEmptyUsage(), output: 3 });
  yield builder.appendText('\u2028 and \u{1f600}');
  yield builder.endText();
  yield builder.startToolCall('call_9', 'bash');
  yield builder.appendToolCall('{"command":');
  yield builder.appendToolCall('"wc -l a"}');
  yield builder.endToolCall();
}
