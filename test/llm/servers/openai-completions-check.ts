// Checks requests like the providers of Chat Completions: common rules, and the rules of each provider.

import { type Fields, Refusal as LoopbackRefusal } from './loopback.ts';

export type { Fields } from './loopback.ts';

export class Refusal extends LoopbackRefusal {
  constructor(status: number, body: unknown) {
    super(status, JSON.stringify(body));
  }
}

/** Thinking that a provider sent with a call, by call id. */
export type Issued = Map<string, Fields>;

export interface ProviderRules {
  /** `false`: a local server that gets no key. */
  key: boolean;
  fields: readonly string[];
  answerFields: readonly string[];
  toolFields: readonly string[];
  callFields: readonly string[];
  refuse(message: string, param?: string | null, code?: string | null): Refusal;
  unknown(path: string): Refusal;
  checkExtra(body: Fields, issued: Issued): void;
}

export function openAiError(message: string, param: string | null = null, code: string | null = null): Refusal {
  return new Refusal(400, { error: { message, type: 'invalid_request_error', param, code } });
}

export function checkBody(body: Fields, rules: ProviderRules, issued: Issued): void {
  for (const name of Object.keys(body)) if (!rules.fields.includes(name)) throw rules.unknown(name);
  const { model, messages, stream, tools } = body;
  if (typeof model !== 'string' || model === '') throw rules.refuse('you must provide a model parameter');
  if (stream !== true) throw rules.refuse("Invalid value for 'stream': expected true.", 'stream');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw rules.refuse(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
      'empty_array',
    );
  }
  if (tools !== undefined) checkTools(tools, rules);
  messages.forEach((message, index) => {
    checkMessage(message as Fields, index, rules);
  });
  checkPairs(messages as Fields[], rules);
  rules.checkExtra(body, issued);
}

function checkTools(tools: unknown, rules: ProviderRules): void {
  if (!Array.isArray(tools) || tools.length === 0) {
    throw rules.refuse(
      "Invalid 'tools': empty array. Expected an array with minimum length 1.",
      'tools',
      'empty_array',
    );
  }
  tools.forEach((tool: Fields, index) => {
    assertKnownKeys(tool, ['type', 'function', 'cache_control'], `tools[${index}]`, rules);
    const { name, parameters, ...rest } = tool.function as Fields;
    assertKnownKeys(rest, ['description', 'strict'], `tools[${index}].function`, rules);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw rules.refuse(`Invalid 'tools[${index}].function.name'`);
    const schema = parameters as Fields;
    if (schema.type !== 'object') throw rules.refuse(`Invalid schema for function '${name}': type is not "object".`);
    if (!schema.properties) {
      throw rules.refuse(`Invalid schema for function '${name}': In context=(), object schema missing properties.`);
    }
  });
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

function checkMessage(message: Fields, index: number, rules: ProviderRules): void {
  const path = `messages[${index}]`;
  const { role, content } = message;
  if (!ROLES.includes(String(role))) throw rules.refuse(`Invalid value: '${role}'.`, `${path}.role`, 'invalid_value');
  if (role === 'assistant') {
    checkAssistant(message, path, rules);
    return;
  }
  assertKnownKeys(
    message,
    role === 'tool' ? ['role', 'content', 'tool_call_id', ...rules.toolFields] : ['role', 'content'],
    path,
    rules,
  );
  if ((role === 'system' || role === 'developer') && index > 0) throw rules.refuse(`Unexpected role '${role}'`, path);
  if (content === '' || (typeof content !== 'string' && !Array.isArray(content))) refuseEmpty(path, rules);
  if (Array.isArray(content) && content.length === 0) refuseEmpty(path, rules);
  for (const part of Array.isArray(content) ? content : []) checkPart(part as Fields, String(role), path, rules);
}

function refuseEmpty(path: string, rules: ProviderRules): never {
  throw rules.refuse(`Invalid '${path}.content': message content must not be empty.`, `${path}.content`);
}

function checkPart(part: Fields, role: string, path: string, rules: ProviderRules): void {
  if (part.type === 'text') {
    assertKnownKeys(
      part,
      ['type', 'text', ...(rules.toolFields.includes('marks') ? ['cache_control'] : [])],
      path,
      rules,
    );
    if (typeof part.text !== 'string' || part.text === '') refuseEmpty(path, rules);
    return;
  }
  if (part.type !== 'image_url')
    throw rules.refuse(`Invalid value: '${part.type}'.`, `${path}.content`, 'invalid_value');
  if (role !== 'user') {
    throw rules.refuse(
      `Invalid '${path}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      path,
      'invalid_value',
    );
  }
  assertKnownKeys(part.image_url as Fields, ['url', 'detail'], path, rules);
  const { url } = part.image_url as { url: string };
  if (!/^https?:/.test(url) && !/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(url)) {
    throw rules.refuse('You uploaded an unsupported image.', null, 'invalid_image_format');
  }
}

function checkAssistant(message: Fields, path: string, rules: ProviderRules): void {
  const { content, tool_calls: calls } = message;
  assertKnownKeys(message, ['role', 'content', 'tool_calls', ...rules.answerFields], path, rules);
  if (calls === undefined && (content === null || content === '')) {
    throw rules.refuse("Invalid value for 'content': expected a string, got null.", `${path}.content`);
  }
  if (content === '') refuseEmpty(path, rules);
  if (calls === undefined) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    throw rules.refuse(`Invalid '${path}.tool_calls': empty array.`, `${path}.tool_calls`, 'empty_array');
  }
  calls.forEach((call: Fields, index) => {
    assertKnownKeys(call, ['id', 'type', 'function', ...rules.callFields], `${path}.tool_calls[${index}]`, rules);
    const { name, arguments: args, ...rest } = call.function as Fields;
    assertKnownKeys(rest, [], `${path}.tool_calls[${index}].function`, rules);
    if (typeof name !== 'string' || typeof args !== 'string')
      throw rules.refuse(`Invalid type for '${path}.tool_calls'.`);
    const id = String(call.id ?? '');
    if (id === '' || id.length > 40) {
      throw rules.refuse(
        `Invalid '${path}.tool_calls[${index}].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
        `${path}.tool_calls[${index}].id`,
        'string_above_max_length',
      );
    }
  });
}

/** Every call must have a result directly after its message, and every result a call. */
function checkPairs(messages: readonly Fields[], rules: ProviderRules): void {
  let pending = new Set<string>();
  for (const [index, { role, tool_calls: calls, tool_call_id: resultFor }] of messages.entries()) {
    if (role === 'tool') {
      if (!pending.delete(String(resultFor))) {
        throw rules.refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${index}].role`,
        );
      }
      continue;
    }
    rejectPending(pending, index, rules);
    pending = new Set(((calls as Fields[] | undefined) ?? []).map(({ id }) => String(id)));
  }
  rejectPending(pending, messages.length, rules);
}

function rejectPending(pending: ReadonlySet<string>, index: number, rules: ProviderRules): void {
  if (pending.size === 0) return;
  throw rules.refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...pending].join(', ')}`,
    `messages.[${index}].role`,
  );
}

function assertKnownKeys(value: Fields, known: readonly string[], path: string, rules: ProviderRules): void {
  for (const name of Object.keys(value)) if (!known.includes(name)) throw rules.unknown(`${path}.${name}`);
}
