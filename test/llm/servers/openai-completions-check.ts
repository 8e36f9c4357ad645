// What the hosts of Chat Completions refuse, in their own words. Each house has its rules beside the common ones.

export type Fields = Record<string, unknown>;

export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

/** Thinking that a host gave with a call, by the id of that call. */
export type Issued = Map<string, Fields>;

export interface House {
  /** `false`: a server of one's own, which is sent no key. */
  key: boolean;
  fields: readonly string[];
  answerFields: readonly string[];
  toolFields: readonly string[];
  callFields: readonly string[];
  refuse(message: string, param?: string | null, code?: string | null): Refusal;
  unknown(path: string): Refusal;
  also(body: Fields, issued: Issued): void;
}

export function openAiError(message: string, param: string | null = null, code: string | null = null): Refusal {
  return new Refusal(400, { error: { message, type: 'invalid_request_error', param, code } });
}

export function checkBody(body: Fields, house: House, issued: Issued): void {
  for (const name of Object.keys(body)) if (!house.fields.includes(name)) throw house.unknown(name);
  const { model, messages, stream, tools } = body;
  if (typeof model !== 'string' || model === '') throw house.refuse('you must provide a model parameter');
  if (stream !== true) throw house.refuse("Invalid value for 'stream': expected true.", 'stream');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw house.refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
      'empty_array',
    );
  }
  if (tools !== undefined) checkTools(tools, house);
  messages.forEach((message, index) => {
    checkMessage(message as Fields, index, house);
  });
  checkPairs(messages as Fields[], house);
  house.also(body, issued);
}

function checkTools(tools: unknown, house: House): void {
  if (!Array.isArray(tools) || tools.length === 0) {
    throw house.refuse(
      "Invalid 'tools': empty array. Expected an array with minimum length 1.",
      'tools',
      'empty_array',
    );
  }
  tools.forEach((tool: Fields, index) => {
    only(tool, ['type', 'function', 'cache_control'], `tools[${index}]`, house);
    const { name, parameters, ...rest } = tool.function as Fields;
    only(rest, ['description', 'strict'], `tools[${index}].function`, house);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw house.refuse(`Invalid 'tools[${index}].function.name'`);
    const schema = parameters as Fields;
    if (schema.type !== 'object') throw house.refuse(`Invalid schema for function '${name}': type is not "object".`);
    if (!schema.properties) {
      throw house.refuse(`Invalid schema for function '${name}': In context=(), object schema missing properties.`);
    }
  });
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

function checkMessage(message: Fields, index: number, house: House): void {
  const at = `messages[${index}]`;
  const { role, content } = message;
  if (!ROLES.includes(String(role))) throw house.refuse(`Invalid value: '${role}'.`, `${at}.role`, 'invalid_value');
  if (role === 'assistant') {
    checkAnswer(message, at, house);
    return;
  }
  only(
    message,
    role === 'tool' ? ['role', 'content', 'tool_call_id', ...house.toolFields] : ['role', 'content'],
    at,
    house,
  );
  if ((role === 'system' || role === 'developer') && index > 0) throw house.refuse(`Unexpected role '${role}'`, at);
  if (content === '' || (typeof content !== 'string' && !Array.isArray(content))) refuseEmpty(at, house);
  if (Array.isArray(content) && content.length === 0) refuseEmpty(at, house);
  for (const part of Array.isArray(content) ? content : []) checkPart(part as Fields, String(role), at, house);
}

function refuseEmpty(at: string, house: House): never {
  throw house.refuse(`Invalid '${at}.content': message content must not be empty.`, `${at}.content`);
}

function checkPart(part: Fields, role: string, at: string, house: House): void {
  if (part.type === 'text') {
    only(part, ['type', 'text', ...(house.toolFields.includes('marks') ? ['cache_control'] : [])], at, house);
    if (typeof part.text !== 'string' || part.text === '') refuseEmpty(at, house);
    return;
  }
  if (part.type !== 'image_url') throw house.refuse(`Invalid value: '${part.type}'.`, `${at}.content`, 'invalid_value');
  if (role !== 'user') {
    throw house.refuse(
      `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      at,
      'invalid_value',
    );
  }
  only(part.image_url as Fields, ['url', 'detail'], at, house);
  const { url } = part.image_url as { url: string };
  if (!/^https?:/.test(url) && !/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(url)) {
    throw house.refuse('You uploaded an unsupported image.', null, 'invalid_image_format');
  }
}

function checkAnswer(message: Fields, at: string, house: House): void {
  const { content, tool_calls: calls } = message;
  only(message, ['role', 'content', 'tool_calls', ...house.answerFields], at, house);
  if (calls === undefined && (content === null || content === '')) {
    throw house.refuse("Invalid value for 'content': expected a string, got null.", `${at}.content`);
  }
  if (content === '') refuseEmpty(at, house);
  if (calls === undefined) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    throw house.refuse(`Invalid '${at}.tool_calls': empty array.`, `${at}.tool_calls`, 'empty_array');
  }
  calls.forEach((call: Fields, index) => {
    only(call, ['id', 'type', 'function', ...house.callFields], `${at}.tool_calls[${index}]`, house);
    const { name, arguments: args, ...rest } = call.function as Fields;
    only(rest, [], `${at}.tool_calls[${index}].function`, house);
    if (typeof name !== 'string' || typeof args !== 'string')
      throw house.refuse(`Invalid type for '${at}.tool_calls'.`);
    const id = String(call.id ?? '');
    if (id === '' || id.length > 40) {
      throw house.refuse(
        `Invalid '${at}.tool_calls[${index}].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
        `${at}.tool_calls[${index}].id`,
        'string_above_max_length',
      );
    }
  });
}

/** Every call is answered, right after the message that makes it, and nothing else is. */
function checkPairs(messages: readonly Fields[], house: House): void {
  let open = new Set<string>();
  for (const [index, { role, tool_calls: calls, tool_call_id: answered }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.delete(String(answered))) {
        throw house.refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${index}].role`,
        );
      }
      continue;
    }
    refuseOpen(open, index, house);
    open = new Set(((calls as Fields[] | undefined) ?? []).map(({ id }) => String(id)));
  }
  refuseOpen(open, messages.length, house);
}

function refuseOpen(open: ReadonlySet<string>, index: number, house: House): void {
  if (open.size === 0) return;
  throw house.refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    `messages.[${index}].role`,
  );
}

function only(value: Fields, known: readonly string[], at: string, house: House): void {
  for (const name of Object.keys(value)) if (!known.includes(name)) throw house.unknown(`${at}.${name}`);
}
