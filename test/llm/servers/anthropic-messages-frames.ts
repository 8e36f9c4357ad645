// Builds the events of a Messages stream as the provider sends them: names, order, padding, pings, empty first deltas.

export type Part =
  | { text: string | string[] }
  | { thinking: string | string[]; signature?: string }
  | { redacted: string }
  | { call: string; name: string; input: Record<string, unknown> | string; pieces?: number }
  /** A tool that the provider runs itself, with its result. */
  | { search: string };

export interface Answer {
  parts: readonly Part[];
  stop?: string;
  stopDetails?: Record<string, unknown>;
  usage?: Partial<Usage>;
}

export interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

const USAGE: Usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 34,
};

/** One encoded event. Like the provider, pads deltas to hide their length. */
export function frame(data: { type: string } & Record<string, unknown>): string {
  const padding = data.type === 'content_block_delta' ? ' '.repeat(JSON.stringify(data).length % 11) : '';
  return `event: ${data.type}\ndata: ${JSON.stringify(data).slice(0, -1)}${padding}}\n\n`;
}

export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

/** `sign` creates the signature of thinking; readers do not check it. */
export function framesOf(answer: Answer, sign: (thinking: string) => string = (text) => `sig:${text}`): string[] {
  const usage = { ...USAGE, ...answer.usage };
  const blocks = answer.parts.flatMap((part) => createPartData(part, sign));
  let index = -1;
  const numbered = blocks.map(({ type, ...rest }) => {
    if (type === 'content_block_start') index++;
    return frame({ type, index, ...rest });
  });
  return [
    frame({ type: 'message_start', message: createMessage({ ...usage, output_tokens: 1 }) }),
    ...numbered.slice(0, 1),
    ...(numbered.length > 0 ? [PING] : []),
    ...numbered.slice(1),
    frame({
      type: 'message_delta',
      delta: {
        stop_reason: answer.stop ?? (answer.parts.some((part) => 'call' in part) ? 'tool_use' : 'end_turn'),
        stop_sequence: null,
        ...(answer.stopDetails ? { stop_details: answer.stopDetails } : {}),
      },
      usage,
    }),
    frame({ type: 'message_stop' }),
  ];
}

function createMessage(usage: Usage): Record<string, unknown> {
  return {
    model: 'claude-loopback',
    id: 'msg_01LoopbackLoopbackLoop',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      ...usage,
      cache_creation: { ephemeral_5m_input_tokens: usage.cache_creation_input_tokens, ephemeral_1h_input_tokens: 0 },
      service_tier: 'standard',
    },
  };
}

type BlockData = { type: string } & Record<string, unknown>;

function createPartData(part: Part, sign: (thinking: string) => string): BlockData[] {
  if ('text' in part) return block({ type: 'text', text: '' }, deltas('text_delta', 'text', part.text));
  if ('redacted' in part) return block({ type: 'redacted_thinking', data: part.redacted }, []);
  if ('thinking' in part) {
    const fullText = [part.thinking].flat().join('');
    const signature = part.signature ?? sign(fullText);
    return block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas('thinking_delta', 'thinking', part.thinking),
      { type: 'signature_delta', signature },
    ]);
  }
  if ('search' in part) {
    const id = 'srvtoolu_01Loopback';
    return [
      ...block({ type: 'server_tool_use', id, name: 'web_search', input: {} }, [
        { type: 'input_json_delta', partial_json: JSON.stringify({ query: part.search }) },
      ]),
      ...block({ type: 'web_search_tool_result', tool_use_id: id, content: [] }, []),
    ];
  }
  const json = typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
  return block({ type: 'tool_use', id: part.call, name: part.name, input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    ...splitIntoPieces(json, part.pieces ?? 7).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  ]);
}

function block(content_block: Record<string, unknown>, deltaList: Record<string, unknown>[]): BlockData[] {
  return [
    { type: 'content_block_start', content_block },
    ...deltaList.map((delta) => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ];
}

function deltas(type: string, key: string, text: string | string[]): Record<string, unknown>[] {
  return [text]
    .flat()
    .filter((piece) => piece !== '')
    .map((piece) => ({ type, [key]: piece }));
}

function splitIntoPieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}
