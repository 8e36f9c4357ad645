// Checks the input items like the Responses API: shapes, ids, call pairs and reasoning.
import type { ServedModel } from './openai-responses-models.ts';
import { assertKnownKeys, Refusal } from './openai-responses-refusal.ts';

type Fields = Record<string, unknown>;

/** Items that the server has sent. */
export interface Issued {
  /** Encrypted reasoning content → its item id and model. */
  encrypted: Map<string, { id: string; model: string }>;
  /** Reasoning id → id of the item that followed it. */
  followers: Map<string, string>;
  /** Item id → id of the reasoning before it. */
  reasons: Map<string, string>;
}

export function recordIssued(output: readonly Fields[], model: string, issued: Issued): void {
  let last: Fields | undefined;
  let reasoning: string | undefined;
  for (const item of output) {
    const id = String(item.id);
    if (last?.type === 'reasoning') issued.followers.set(String(last.id), id);
    if (item.type === 'reasoning') {
      reasoning = id;
      issued.encrypted.set(String(item.encrypted_content), { id, model });
    } else if (reasoning !== undefined) issued.reasons.set(id, reasoning);
    last = item;
  }
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content', 'id', 'status', 'phase'],
  reasoning: ['type', 'id', 'summary', 'encrypted_content', 'content'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments'],
  function_call_output: ['type', 'call_id', 'output'],
  web_search_call: ['type', 'id', 'status', 'action'],
};
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  web_search_call: 'ws',
};

export function checkItems(input: unknown, modelId: string, model: ServedModel, issued: Issued): void {
  if (!Array.isArray(input) || input.length === 0)
    throw new Refusal("Missing required parameter: 'input'.", { param: 'input', code: 'missing_required_parameter' });
  const items = input as Fields[];
  for (const [n, item] of items.entries()) checkItem(item, `input[${n}]`, model);
  checkIds(items);
  checkPairs(items);
  for (const [n, item] of items.entries()) {
    if (item.type === 'reasoning') checkReasoning(items, n, modelId, model, issued);
    else checkReason(items, n, issued);
  }
}

function checkItem(item: Fields, where: string, model: ServedModel): void {
  const type = String(item.type);
  const keys = KEYS[type];
  if (!keys)
    throw new Refusal(`Invalid value: '${type}'. Supported values are: ${Object.keys(KEYS).join(', ')}.`, {
      param: where,
      code: 'invalid_value',
    });
  assertKnownKeys(item, keys, `${where}.`);
  if (type === 'message') checkMessage(item, where, model);
  if (type === 'reasoning' && !Array.isArray(item.summary)) throw missing(`${where}.summary`);
  if (type === 'function_call') {
    if (typeof item.name !== 'string' || item.name === '') throw missing(`${where}.name`);
    if (typeof item.arguments !== 'string') throw missing(`${where}.arguments`);
    JSON.parse(item.arguments);
  }
  if (type.startsWith('function_call')) checkId(item.call_id, `${where}.call_id`);
  if (type === 'function_call_output') checkOutput(item.output, where, model);
}

function missing(param: string): Refusal {
  return new Refusal(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

function checkMessage(item: Fields, where: string, model: ServedModel): void {
  if (item.role === 'assistant') {
    checkAssistant(item, where);
    return;
  }
  if (item.role !== 'user')
    throw new Refusal(`Invalid value: '${item.role}'.`, { param: `${where}.role`, code: 'invalid_value' });
  assertKnownKeys(item, ['type', 'role', 'content'], `${where}.`);
  checkParts(item.content, `${where}.content`, model);
}

function checkAssistant(item: Fields, where: string): void {
  if (item.phase !== undefined && item.phase !== 'commentary' && item.phase !== 'final_answer')
    throw new Refusal(`Invalid value: '${item.phase}'.`, { param: `${where}.phase`, code: 'invalid_value' });
  if (item.id === undefined) {
    assertKnownKeys(item, ['type', 'role', 'phase', 'content'], `${where}.`);
    if (typeof item.content !== 'string' || item.content === '') throw missing(`${where}.content`);
    return;
  }
  if (item.status !== 'completed') throw missing(`${where}.status`);
  for (const [n, part] of (item.content as Fields[]).entries()) {
    assertKnownKeys(part, ['type', 'text', 'annotations'], `${where}.content[${n}].`);
    if (part.type !== 'output_text')
      throw new Refusal(`Invalid value: '${part.type}'. Supported values are: 'output_text' and 'refusal'.`, {
        param: `${where}.content[${n}]`,
        code: 'invalid_value',
      });
    if (!Array.isArray(part.annotations)) throw missing(`${where}.content[${n}].annotations`);
  }
}

function checkOutput(output: unknown, where: string, model: ServedModel): void {
  if (typeof output !== 'string') checkParts(output, `${where}.output`, model);
}

function checkParts(parts: unknown, where: string, model: ServedModel): void {
  if (!Array.isArray(parts) || parts.length === 0) throw missing(where);
  for (const [n, part] of (parts as Fields[]).entries()) {
    const param = `${where}[${n}]`;
    if (part.type === 'input_text') {
      assertKnownKeys(part, ['type', 'text'], `${param}.`);
      if (typeof part.text !== 'string' || part.text === '') throw missing(`${param}.text`);
    } else if (part.type === 'input_image') {
      assertKnownKeys(part, ['type', 'detail', 'image_url'], `${param}.`);
      checkImage(String(part.image_url), param, model);
    } else
      throw new Refusal(
        `Invalid value: '${part.type}'. Supported values are: 'input_text', 'input_image', and 'input_file'.`,
        { param, code: 'invalid_value' },
      );
  }
}

function checkImage(url: string, param: string, model: ServedModel): void {
  if (model.supportsImages === false)
    throw new Refusal(`Invalid content type. image_url is only supported by certain models.`, { param });
  if (/^https?:/.test(url)) return;
  if (!/^data:image\/\w+;base64,[A-Za-z0-9+/]+=*$/.test(url))
    throw new Refusal(
      `Invalid '${param}.image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an invalid value.`,
      { param: `${param}.image_url`, code: 'invalid_value' },
    );
  if (!/^data:image\/(png|jpeg|gif|webp);/.test(url))
    throw new Refusal(
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      { param, code: 'invalid_image_format' },
    );
}

function checkId(id: unknown, param: string): void {
  const text = String(id);
  if (text.length > 64)
    throw new Refusal(
      `Invalid '${param}': string too long. Expected a string with maximum length 64, but got a string with length ${text.length} instead.`,
      { param, code: 'string_above_max_length' },
    );
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(text))
    throw new Refusal(
      `Invalid '${param}': '${text}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      { param, code: 'invalid_value' },
    );
}

function checkIds(items: readonly Fields[]): void {
  const seenIds = new Set<unknown>();
  for (const [n, { id, type }] of items.entries()) {
    if (id === undefined) {
      if (type === 'reasoning') throw missing(`input[${n}].id`);
      continue;
    }
    checkId(id, `input[${n}].id`);
    const prefix = PREFIXES[String(type)];
    if (prefix === undefined || !String(id).startsWith(prefix))
      throw new Refusal(`Invalid 'input[${n}].id': '${id}'. Expected an ID that begins with '${prefix}'.`, {
        param: `input[${n}].id`,
        code: 'invalid_value',
      });
    if (seenIds.has(id))
      throw new Refusal(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, {
        param: 'input',
      });
    seenIds.add(id);
  }
}

function checkPairs(items: readonly Fields[]): void {
  const calls = new Set<unknown>();
  const withOutput = new Set<unknown>();
  for (const { type, call_id } of items) {
    if (type === 'function_call') {
      if (calls.has(call_id)) throw new Refusal(`Duplicate function call ${call_id}.`, { param: 'input' });
      calls.add(call_id);
    }
    if (type !== 'function_call_output') continue;
    if (!calls.has(call_id))
      throw new Refusal(`No tool call found for function call output with call_id ${call_id}.`, { param: 'input' });
    if (withOutput.has(call_id)) throw new Refusal(`Duplicate output for ${call_id}.`, { param: 'input' });
    withOutput.add(call_id);
  }
  const missingOutput = [...calls].find((id) => !withOutput.has(id));
  if (missingOutput !== undefined)
    throw new Refusal(`No tool output found for function call ${missingOutput}.`, { param: 'input' });
}

function checkReasoning(
  items: readonly Fields[],
  n: number,
  modelId: string,
  model: ServedModel,
  issued: Issued,
): void {
  const { id, encrypted_content: encrypted, content } = items[n] ?? {};
  if (model.open) {
    if (!Array.isArray(content) || content.length === 0) throw missing(`input[${n}].content`);
    return;
  }
  if (typeof encrypted !== 'string')
    throw new Refusal(
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      { status: 404, param: 'input' },
    );
  const issuedItem = issued.encrypted.get(encrypted);
  if (issuedItem?.id !== id || issuedItem?.model !== modelId)
    throw new Refusal(
      `The encrypted content ${encrypted.slice(0, 4)}...${encrypted.slice(-4)} could not be verified.`,
      {
        code: 'invalid_encrypted_content',
      },
    );
  if (issued.followers.get(String(id)) !== items[n + 1]?.id || items[n + 1]?.id === undefined)
    throw new Refusal(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
      param: 'input',
    });
}

/** Only items that are sent with their id require their reasoning. */
function checkReason(items: readonly Fields[], n: number, issued: Issued): void {
  const { id, type } = items[n] ?? {};
  const reasoning = issued.reasons.get(String(id));
  if (reasoning === undefined || items.slice(0, n).some((item) => item.id === reasoning)) return;
  throw new Refusal(
    `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`,
    { param: 'input' },
  );
}
