// The events of a Responses stream as the provider sends them: names, order, numbers, padding, whole items at the end.

export type Fields = Record<string, unknown>;

export type Part =
  | { text: string | string[]; phase?: string; refusal?: string | string[] }
  | { refusal: string | string[] }
  /** The parts of a summary, each in one piece or several; none at all when the provider shows nothing. */
  | { thinking: readonly (string | string[])[] }
  /** Open models show their reasoning itself. */
  | { reasoning: string | string[] }
  | { call: string; name: string; input: Fields | string; pieces?: number; cut?: true }
  /** A tool of the provider's own. */
  | { search: string };

export interface Answer {
  parts: readonly Part[];
  incomplete?: 'max_output_tokens' | 'content_filter';
  failed?: { code: string; message: string };
  usage?: { input?: number; cached?: number; written?: number; output?: number };
  model?: string;
}

/** What a provider makes up: ids, and the seal on reasoning that only it can open. */
export interface Maker {
  id(prefix: string): string;
  seal(id: string): string;
}

/** The same ids every time, for tests of readers. */
export function counting(): Maker {
  let made = 0;
  return {
    id: (prefix) => `${prefix}_${String(++made).padStart(4, '0')}`,
    seal: (id) => `gAAAAAB-${id}==`,
  };
}

type Item = Fields & { id: string; type: string };
type Data = Fields & { type: string };

export interface Streamed {
  frames: string[];
  /** The items of the answer, as the last event repeats them. */
  output: Item[];
}

export function streamOf(answer: Answer, maker: Maker = counting()): Streamed {
  const base = responseOf(answer, maker.id('resp'));
  const made = answer.parts.map((part, index) => itemOf(part, index, maker, answer.incomplete !== undefined));
  const output = made.map(({ item }) => item);
  const events: Data[] = [
    { type: 'response.created', response: base },
    { type: 'response.in_progress', response: base },
    ...made.flatMap(({ events: all }) => all),
    lastOf(answer, base, output),
  ];
  return { frames: events.map((data, n) => frame(data, n)), output };
}

export function framesOf(answer: Answer, maker?: Maker): string[] {
  return streamOf(answer, maker).frames;
}

/** One event as it stands on the wire. Deltas are padded so that their length tells an eavesdropper nothing. */
export function frame({ type, ...data }: Data, sequence_number = 0): string {
  const padding = type.endsWith('.delta') ? { obfuscation: 'qZ7hPm2kXw4vTn'.slice(sequence_number % 12) } : {};
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data, ...padding })}\n\n`;
}

function responseOf({ model = 'gpt-5-2025-08-07' }: Answer, id: string): Fields {
  return {
    id,
    object: 'response',
    created_at: 1767323045,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: 'You are a careful engineer.',
    max_output_tokens: null,
    max_tool_calls: null,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: 'session',
    reasoning: { effort: 'medium', summary: 'detailed' },
    service_tier: 'auto',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
}

function lastOf({ incomplete, failed, usage = {} }: Answer, base: Fields, output: Item[]): Data {
  if (failed)
    return { type: 'response.failed', response: { ...base, status: 'failed', error: failed, output, usage: null } };
  const { input = 12, cached = 0, written = 0, output: output_tokens = 34 } = usage;
  const response = {
    ...base,
    status: incomplete ? 'incomplete' : 'completed',
    incomplete_details: incomplete ? { reason: incomplete } : null,
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output_tokens,
    },
  };
  return { type: incomplete ? 'response.incomplete' : 'response.completed', response };
}

interface Made {
  item: Item;
  events: Data[];
}

function itemOf(part: Part, output_index: number, maker: Maker, cut: boolean): Made {
  if ('thinking' in part || 'reasoning' in part) return reasoningItem(part, output_index, maker);
  if ('call' in part) return callItem(part, output_index, maker, cut && part.cut === true);
  if ('search' in part) {
    const item = { id: maker.id('ws'), type: 'web_search_call', status: 'completed', action: { query: part.search } };
    const progress = ['in_progress', 'searching', 'completed'].map((moment) => ({
      type: `response.web_search_call.${moment}`,
      output_index,
      item_id: item.id,
    }));
    return wrap({ ...item, status: 'in_progress' }, progress, item, output_index);
  }
  return messageItem(part, output_index, maker, cut);
}

function wrap(begun: Item, inner: Data[], item: Item, output_index: number): Made {
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: begun },
      ...inner,
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function reasoningItem(
  part: Extract<Part, { thinking: unknown } | { reasoning: unknown }>,
  output_index: number,
  maker: Maker,
): Made {
  const id = maker.id('rs');
  const where = { item_id: id, output_index };
  if ('reasoning' in part) {
    const deltas = [part.reasoning].flat();
    const item = { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: deltas.join('') }] };
    const at = { ...where, content_index: 0 };
    return wrap(
      { id, type: 'reasoning', summary: [], content: [] },
      [
        ...deltas.map((delta) => ({ type: 'response.reasoning_text.delta', ...at, delta })),
        { type: 'response.reasoning_text.done', ...at, text: deltas.join('') },
      ],
      item,
      output_index,
    );
  }
  const summary = part.thinking.map((piece) => ({ type: 'summary_text', text: [piece].flat().join('') }));
  const inner = part.thinking.flatMap((piece, summary_index): Data[] => {
    const at = { ...where, summary_index };
    const text = [piece].flat().join('');
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...[piece].flat().map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
    ];
  });
  const begun = { id, type: 'reasoning', encrypted_content: 'gAAAAAB-begun==', summary: [] };
  return wrap(begun, inner, { id, type: 'reasoning', encrypted_content: maker.seal(id), summary }, output_index);
}

function messageItem(
  part: Extract<Part, { text: unknown } | { refusal: unknown }>,
  output_index: number,
  maker: Maker,
  cut: boolean,
): Made {
  const id = maker.id('msg');
  const phase = 'text' in part && part.phase ? { phase: part.phase } : {};
  const texts = 'text' in part ? [part.text].flat() : undefined;
  const refusals = part.refusal === undefined ? undefined : [part.refusal].flat();
  const content = [
    ...(texts ? [{ type: 'output_text', annotations: [], logprobs: [], text: texts.join('') }] : []),
    ...(refusals ? [{ type: 'refusal', refusal: refusals.join('') }] : []),
  ];
  const inner = content.flatMap((whole, content_index): Data[] => {
    const at = { item_id: id, output_index, content_index };
    const isText = whole.type === 'output_text';
    const blank = isText ? { ...whole, text: '' } : { ...whole, refusal: '' };
    const deltas = (isText ? texts : refusals) ?? [];
    const done = isText ? { text: whole.text, logprobs: [] } : { refusal: whole.refusal };
    return [
      { type: 'response.content_part.added', ...at, part: blank },
      ...deltas.map((delta) => ({
        type: `response.${whole.type}.delta`,
        ...at,
        delta,
        ...(isText ? { logprobs: [] } : {}),
      })),
      { type: `response.${whole.type}.done`, ...at, ...done },
      { type: 'response.content_part.done', ...at, part: whole },
    ];
  });
  const shell = { id, type: 'message', role: 'assistant', ...phase };
  const item = { ...shell, status: cut ? 'incomplete' : 'completed', content };
  return wrap({ ...shell, status: 'in_progress', content: [] }, inner, item, output_index);
}

function callItem(part: Extract<Part, { call: string }>, output_index: number, maker: Maker, cut: boolean): Made {
  const id = maker.id('fc');
  const json = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
  const where = { item_id: id, output_index };
  const shell = { id, type: 'function_call', call_id: part.call, name: part.name };
  const pieces = json.match(new RegExp(`[^]{1,${part.pieces ?? 7}}`, 'g')) ?? [];
  return wrap(
    { ...shell, status: 'in_progress', arguments: '' },
    [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...where, delta })),
      ...(cut ? [] : [{ type: 'response.function_call_arguments.done', ...where, arguments: json }]),
    ],
    { ...shell, status: cut ? 'incomplete' : 'completed', arguments: json },
    output_index,
  );
}
