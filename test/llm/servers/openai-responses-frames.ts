// Builds the events of a Responses stream as the provider sends them: names, order, numbers, padding, full items at the end.

export type Fields = Record<string, unknown>;

export type Part =
  | { text: string | string[]; phase?: string; refusal?: string | string[] }
  | { refusal: string | string[] }
  /** The parts of a summary, each in one or several pieces; empty when the provider shows none. */
  | { thinking: readonly (string | string[])[] }
  /** Open models send plain reasoning. */
  | { reasoning: string | string[] }
  | { call: string; name: string; input: Fields | string; pieces?: number; cut?: true }
  /** A tool that the provider runs itself. */
  | { search: string };

export interface Answer {
  parts: readonly Part[];
  incomplete?: 'max_output_tokens' | 'content_filter';
  failed?: { code: string; message: string };
  usage?: { input?: number; cached?: number; written?: number; output?: number };
  model?: string;
}

/** Generates ids and encrypted reasoning content. */
export interface IdGenerator {
  id(prefix: string): string;
  encrypt(id: string): string;
}

/** Predictable ids, for tests of readers. */
export function createSequentialIds(): IdGenerator {
  let count = 0;
  return {
    id: (prefix) => `${prefix}_${String(++count).padStart(4, '0')}`,
    encrypt: (id) => `gAAAAAB-${id}==`,
  };
}

type Item = Fields & { id: string; type: string };
type Data = Fields & { type: string };

export interface ResponseStream {
  frames: string[];
  /** The items of the reply, as the final event repeats them. */
  output: Item[];
}

export function createStream(answer: Answer, ids: IdGenerator = createSequentialIds()): ResponseStream {
  const base = createResponse(answer, ids.id('resp'));
  const items = answer.parts.map((part, index) => createItem(part, index, ids, answer.incomplete !== undefined));
  const output = items.map(({ item }) => item);
  const events: Data[] = [
    { type: 'response.created', response: base },
    { type: 'response.in_progress', response: base },
    ...items.flatMap(({ events: itemEvents }) => itemEvents),
    createFinalEvent(answer, base, output),
  ];
  return { frames: events.map((data, n) => frame(data, n)), output };
}

export function framesOf(answer: Answer, ids?: IdGenerator): string[] {
  return createStream(answer, ids).frames;
}

/** One encoded event. Like the provider, pads deltas to hide their length. */
export function frame({ type, ...data }: Data, sequence_number = 0): string {
  const padding = type.endsWith('.delta') ? { obfuscation: 'qZ7hPm2kXw4vTn'.slice(sequence_number % 12) } : {};
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data, ...padding })}\n\n`;
}

function createResponse({ model = 'gpt-5-2025-08-07' }: Answer, id: string): Fields {
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

function createFinalEvent({ incomplete, failed, usage = {} }: Answer, base: Fields, output: Item[]): Data {
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

interface ItemEvents {
  item: Item;
  events: Data[];
}

function createItem(part: Part, output_index: number, ids: IdGenerator, cut: boolean): ItemEvents {
  if ('thinking' in part || 'reasoning' in part) return createReasoningItem(part, output_index, ids);
  if ('call' in part) return createCallItem(part, output_index, ids, cut && part.cut === true);
  if ('search' in part) {
    const item = { id: ids.id('ws'), type: 'web_search_call', status: 'completed', action: { query: part.search } };
    const progress = ['in_progress', 'searching', 'completed'].map((status) => ({
      type: `response.web_search_call.${status}`,
      output_index,
      item_id: item.id,
    }));
    return wrap({ ...item, status: 'in_progress' }, progress, item, output_index);
  }
  return createMessageItem(part, output_index, ids, cut);
}

function wrap(started: Item, inner: Data[], item: Item, output_index: number): ItemEvents {
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: started },
      ...inner,
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function createReasoningItem(
  part: Extract<Part, { thinking: unknown } | { reasoning: unknown }>,
  output_index: number,
  ids: IdGenerator,
): ItemEvents {
  const id = ids.id('rs');
  const position = { item_id: id, output_index };
  if ('reasoning' in part) {
    const deltas = [part.reasoning].flat();
    const item = { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: deltas.join('') }] };
    const partPosition = { ...position, content_index: 0 };
    return wrap(
      { id, type: 'reasoning', summary: [], content: [] },
      [
        ...deltas.map((delta) => ({ type: 'response.reasoning_text.delta', ...partPosition, delta })),
        { type: 'response.reasoning_text.done', ...partPosition, text: deltas.join('') },
      ],
      item,
      output_index,
    );
  }
  const summary = part.thinking.map((piece) => ({ type: 'summary_text', text: [piece].flat().join('') }));
  const inner = part.thinking.flatMap((piece, summary_index): Data[] => {
    const partPosition = { ...position, summary_index };
    const text = [piece].flat().join('');
    return [
      { type: 'response.reasoning_summary_part.added', ...partPosition, part: { type: 'summary_text', text: '' } },
      ...[piece].flat().map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...partPosition, delta })),
      { type: 'response.reasoning_summary_text.done', ...partPosition, text },
      { type: 'response.reasoning_summary_part.done', ...partPosition, part: { type: 'summary_text', text } },
    ];
  });
  const started = { id, type: 'reasoning', encrypted_content: 'gAAAAAB-partial==', summary: [] };
  return wrap(started, inner, { id, type: 'reasoning', encrypted_content: ids.encrypt(id), summary }, output_index);
}

function createMessageItem(
  part: Extract<Part, { text: unknown } | { refusal: unknown }>,
  output_index: number,
  ids: IdGenerator,
  cut: boolean,
): ItemEvents {
  const id = ids.id('msg');
  const phase = 'text' in part && part.phase ? { phase: part.phase } : {};
  const texts = 'text' in part ? [part.text].flat() : undefined;
  const refusals = part.refusal === undefined ? undefined : [part.refusal].flat();
  const content = [
    ...(texts ? [{ type: 'output_text', annotations: [], logprobs: [], text: texts.join('') }] : []),
    ...(refusals ? [{ type: 'refusal', refusal: refusals.join('') }] : []),
  ];
  const inner = content.flatMap((part, content_index): Data[] => {
    const position = { item_id: id, output_index, content_index };
    const isText = part.type === 'output_text';
    const blank = isText ? { ...part, text: '' } : { ...part, refusal: '' };
    const deltas = (isText ? texts : refusals) ?? [];
    const done = isText ? { text: part.text, logprobs: [] } : { refusal: part.refusal };
    return [
      { type: 'response.content_part.added', ...position, part: blank },
      ...deltas.map((delta) => ({
        type: `response.${part.type}.delta`,
        ...position,
        delta,
        ...(isText ? { logprobs: [] } : {}),
      })),
      { type: `response.${part.type}.done`, ...position, ...done },
      { type: 'response.content_part.done', ...position, part: part },
    ];
  });
  const base = { id, type: 'message', role: 'assistant', ...phase };
  const item = { ...base, status: cut ? 'incomplete' : 'completed', content };
  return wrap({ ...base, status: 'in_progress', content: [] }, inner, item, output_index);
}

function createCallItem(
  part: Extract<Part, { call: string }>,
  output_index: number,
  ids: IdGenerator,
  cut: boolean,
): ItemEvents {
  const id = ids.id('fc');
  const json = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
  const position = { item_id: id, output_index };
  const base = { id, type: 'function_call', call_id: part.call, name: part.name };
  const pieces = json.match(new RegExp(`[^]{1,${part.pieces ?? 7}}`, 'g')) ?? [];
  return wrap(
    { ...base, status: 'in_progress', arguments: '' },
    [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...position, delta })),
      ...(cut ? [] : [{ type: 'response.function_call_arguments.done', ...position, arguments: json }]),
    ],
    { ...base, status: cut ? 'incomplete' : 'completed', arguments: json },
    output_index,
  );
}
