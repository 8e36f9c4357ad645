// Builds the frames of Chat Completions responses.

export interface WireCall {
  id: string;
  name: string;
  /** The argument text in the pieces in which it is sent. */
  pieces: readonly string[];
}

export interface Answer {
  thinking?: readonly string[];
  /** The thinking field of the provider. */
  field?: string;
  /** `reasoning_details`, one list per chunk. */
  details?: readonly (readonly Record<string, unknown>[])[];
  text?: readonly string[];
  calls?: readonly WireCall[];
  finish?: string | null;
  usage?: Record<string, unknown> | null;
}

export const USAGE = {
  prompt_tokens: 1_200,
  completion_tokens: 300,
  total_tokens: 1_500,
  prompt_tokens_details: { cached_tokens: 1_000, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0 },
};

const HEAD = {
  id: 'chatcmpl-Loop1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'loop-1-2026-01-01',
};

export function frame(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
}

export function chunk(delta: Record<string, unknown>, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return frame({
    ...HEAD,
    service_tier: 'default',
    system_fingerprint: 'fp_loop',
    choices,
    usage: null,
    obfuscation: 'x',
  });
}

export function usageChunk(usage: Record<string, unknown>): string {
  return frame({ ...HEAD, choices: [], usage });
}

export const DONE = frame('[DONE]');

export function framesOf(answer: Answer): string[] {
  const { thinking = [], field = 'reasoning_content', details = [], text = [], calls = [], usage = USAGE } = answer;
  const { finish = calls.length > 0 ? 'tool_calls' : 'stop' } = answer;
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...thinking.map((piece) => chunk({ content: null, [field]: piece })),
    ...details.map((list) => chunk({ content: '', reasoning: joinDetailText(list), reasoning_details: list })),
    ...text.map((content) => chunk({ content })),
    ...calls.flatMap(createCallFrames),
    ...(finish === null ? [] : [chunk({}, finish)]),
    ...(usage === null ? [] : [usageChunk(usage)]),
    DONE,
  ];
}

/** OpenRouter repeats the text of the list in the plain field. */
function joinDetailText(list: readonly Record<string, unknown>[]): string | null {
  return list.map(({ text, summary }) => text ?? summary ?? '').join('') || null;
}

function createCallFrames({ id, name, pieces }: WireCall, index: number): string[] {
  const start = { index, id, type: 'function', function: { name, arguments: '' } };
  return [
    chunk({ tool_calls: [start] }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}
