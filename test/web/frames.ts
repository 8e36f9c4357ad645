// Frames and messages for the tests of the page.

const usage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function user(text: string) {
  return { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: 1 };
}

export function assistant(text: string) {
  const content = text === '' ? [] : [{ type: 'text' as const, text }];
  const model = { api: 'scripted', provider: 'testing', model: 'scripted' };
  return { role: 'assistant' as const, content, ...model, usage, stopReason: 'stop' as const, timestamp: 1 };
}

export function toolResult(toolCallId: string, text: string) {
  const content = [{ type: 'text' as const, text }];
  return { role: 'toolResult' as const, toolCallId, toolName: 'bash', content, isError: false, timestamp: 1 };
}

export function attached() {
  const session = { sessionId: 's1', clientId: 'c1', access: 'full', seq: 10, replay: 'snapshot', sessions: 'many' };
  return { type: 'session_attached', ...session };
}

export function snapshot({ state = {}, ...fields }: { state?: object } & Record<string, unknown> = {}) {
  const messages = (fields.messages as unknown[] | undefined) ?? [];
  return {
    type: 'session_snapshot',
    reason: 'unknown_position',
    sessionId: 's1',
    seq: 10,
    messages,
    totalMessages: messages.length,
    firstIndex: 0,
    openMessage: null,
    runningTools: [],
    queues: { steering: [], followUp: [] },
    ...fields,
    state: { ...IDLE_STATE, ...state },
  };
}

const IDLE_STATE = {
  model: null,
  thinkingLevel: 'medium',
  isStreaming: false,
  isCompacting: false,
  isSettled: true,
  steeringMode: 'one-at-a-time',
  followUpMode: 'one-at-a-time',
  interruptMode: 'immediate',
  sessionId: 's1',
  trusted: false,
  permissionMode: 'ask',
  autoCompactionEnabled: true,
  fastModeEnabled: false,
  fastModeActive: false,
  tokensPerSecond: null,
  messageCount: 0,
  queuedMessageCount: 0,
  pendingMessageCount: 0,
  todoPhases: [],
};

type Step =
  | { readonly type: string; readonly message?: object }
  | { readonly text: readonly string[] }
  | { readonly thinking: readonly string[] }
  | { readonly call: StepCall; readonly deltas: readonly string[] };

interface StepCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

/** The frames of a `delta` stream with sequence numbers from 11 on. A list of texts gives one delta for each. */
export function createFrames(steps: readonly Step[]): object[] {
  let contentIndex = -1;
  const frames = steps.flatMap((step): object[] => {
    if ('type' in step) {
      if (step.type === 'message_start') contentIndex = -1;
      return [step];
    }
    contentIndex++;
    return listStreamEvents(step).map((event) => ({
      type: 'message_update',
      assistantMessageEvent: { ...event, contentIndex },
    }));
  });
  return frames.map((frame, at) => ({ ...frame, seq: 11 + at }));
}

function listStreamEvents(step: Exclude<Step, { readonly type: string; readonly message?: object }>): object[] {
  if ('call' in step) {
    const { call, deltas } = step;
    return [
      { type: 'toolcall_start', id: call.id, toolName: call.name },
      ...deltas.map((delta) => ({ type: 'toolcall_delta', delta })),
      { type: 'toolcall_end', toolCall: { type: 'toolCall', ...call } },
    ];
  }
  const kind = 'text' in step ? 'text' : 'thinking';
  const texts = 'text' in step ? step.text : step.thinking;
  return [
    { type: `${kind}_start` },
    ...texts.map((delta) => ({ type: `${kind}_delta`, delta })),
    { type: `${kind}_end`, content: texts.join('') },
  ];
}
