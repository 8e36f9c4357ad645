// Checks requests like the Messages API and throws its error messages.
import { SERVED, type ServedModel } from './anthropic-messages-models.ts';
import { assertKnownKeys, type Fields, Refusal } from './anthropic-messages-refusal.ts';
import { checkThinking, type IssuedThinking } from './anthropic-messages-thinking.ts';

const BODY = ['model', 'max_tokens', 'stream', 'system', 'tools', 'messages', 'thinking', 'output_config'];
const BETAS = ['interleaved-thinking-2025-05-14', 'oauth-2025-04-20', 'thinking-binding-controls-2026-08-01'];

export function checkHeaders(headers: Record<string, string | undefined>, keys: readonly string[]): void {
  const bearer = headers.authorization?.replace(/^Bearer /, '');
  const betas = readBetas(headers);
  if (headers['anthropic-version'] !== '2023-06-01') throw new Refusal('anthropic-version: header is required');
  if (!headers['x-api-key'] && !bearer) throw new Refusal('x-api-key header is required', 'authentication_error', 401);
  if (bearer && !betas.includes('oauth-2025-04-20'))
    throw new Refusal('OAuth authentication is currently not supported.', 'authentication_error', 401);
  if (!keys.includes(headers['x-api-key'] ?? bearer ?? ''))
    throw new Refusal(bearer ? 'Invalid bearer token' : 'invalid x-api-key', 'authentication_error', 401);
  const unknownBetas = betas.filter((name) => !BETAS.includes(name));
  if (unknownBetas.length > 0)
    throw new Refusal(`Unexpected value(s) \`${unknownBetas}\` for the \`anthropic-beta\` header.`);
}

export function readBetas(headers: Record<string, string | undefined>): string[] {
  return headers['anthropic-beta']?.split(',') ?? [];
}

export function checkBody(body: Fields, betas: readonly string[], issued: IssuedThinking): void {
  assertKnownKeys(body, BODY, '');
  const model = SERVED[String(body.model)];
  if (!model) throw new Refusal(`model: ${String(body.model)}`, 'not_found_error', 404);
  checkLimit(body, model);
  if (body.stream !== true) throw new Refusal('stream: this server only streams');
  const messages = body.messages as { role: string; content: Fields[] }[];
  checkSystem(body.system);
  checkTools(body.tools);
  checkOrder(messages);
  for (const [index, message] of messages.entries()) {
    assertKnownKeys(message, ['role', 'content'], `messages.${index}.`);
    if (!Array.isArray(message.content)) throw new Refusal(`messages.${index}.content: Input should be a valid list`);
    for (const [n, block] of message.content.entries())
      checkBlock(block, message.role, `messages.${index}.content.${n}`);
  }
  checkPairs(messages);
  checkCacheMarkers(body);
  checkThinking(body, model, betas, issued);
}

function checkLimit(body: Fields, model: ServedModel): void {
  const limit = body.max_tokens;
  if (!Number.isInteger(limit)) throw new Refusal('max_tokens: Field required');
  if ((limit as number) < 1) throw new Refusal('max_tokens: must be greater than or equal to 1');
  if ((limit as number) > model.maxTokens)
    throw new Refusal(
      `max_tokens: ${limit} > ${model.maxTokens}, which is the maximum allowed number of output tokens for ${body.model}`,
    );
}

function checkSystem(system: unknown): void {
  if (system === undefined) return;
  for (const block of system as Fields[]) {
    assertKnownKeys(block, ['type', 'text', 'cache_control'], 'system.0.');
    if (block.type !== 'text' || !block.text) throw new Refusal('system: text content blocks must be non-empty');
  }
}

function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  const names = (tools as Fields[]).map((tool, n) => {
    assertKnownKeys(tool, ['name', 'description', 'input_schema', 'cache_control'], `tools.${n}.custom.`);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool.name)))
      throw new Refusal(`tools.${n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if ((tool.input_schema as Fields | undefined)?.type !== 'object')
      throw new Refusal(`tools.${n}.custom.input_schema.type: Field required`);
    return tool.name;
  });
  if (names.length === 0 || new Set(names).size < names.length) throw new Refusal('tools: Tool names must be unique.');
}

function checkOrder(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new Refusal('messages: at least one message is required');
  for (const [index, { role }] of messages.entries()) {
    if (index === 0 && role !== 'user') throw new Refusal('messages: first message must use the "user" role');
    if (index > 0 && role === messages[index - 1].role)
      throw new Refusal(`messages: roles must alternate, but found multiple "${role}" roles in a row`);
  }
  if (messages.at(-1).role !== 'user')
    throw new Refusal(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
}

const BLOCKS: Readonly<Record<string, readonly [role: string, ...keys: string[]]>> = {
  text: ['', 'text', 'cache_control'],
  image: ['user', 'source', 'cache_control'],
  tool_result: ['user', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  tool_use: ['assistant', 'id', 'name', 'input'],
  thinking: ['assistant', 'thinking', 'signature'],
  redacted_thinking: ['assistant', 'data'],
};

function checkBlock(block: Fields, role: string, where: string): void {
  const type = String(block.type);
  const [allowedRole, ...keys] = BLOCKS[type] ?? [];
  if (allowedRole === undefined) throw new Refusal(`${where}: Input tag '${type}' found using 'type' does not match`);
  if (allowedRole !== '' && allowedRole !== role)
    throw new Refusal(`${where}: \`${type}\` blocks can only be in ${allowedRole} messages`);
  assertKnownKeys(block, ['type', ...keys], `${where}.${type}.`);
  if (type === 'text') checkText(block);
  if (type === 'image') checkImage(block.source as Fields, where);
  if (type === 'tool_use' && (typeof block.input !== 'object' || block.input === null))
    throw new Refusal(`${where}.tool_use.input: Input should be a valid dictionary`);
  if (type === 'tool_use' && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(block.id)))
    throw new Refusal(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (type === 'tool_result') checkResult(block, where);
}

function checkText({ text }: Fields): void {
  if (typeof text !== 'string' || text === '') throw new Refusal('messages: text content blocks must be non-empty');
  if (text.trim() === '') throw new Refusal('messages: text content blocks must contain non-whitespace text');
}

function checkImage(source: Fields, where: string): void {
  if (source.type === 'url') {
    assertKnownKeys(source, ['type', 'url'], `${where}.image.source.url.`);
    if (!/^https:/.test(String(source.url)))
      throw new Refusal(`${where}.image.source.url: Only HTTPS URLs are supported.`);
    return;
  }
  assertKnownKeys(source, ['type', 'media_type', 'data'], `${where}.image.source.base64.`);
  if (!/^image\/(jpeg|png|gif|webp)$/.test(String(source.media_type)))
    throw new Refusal(
      `${where}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  if (!/^[A-Za-z0-9+/]+=*$/.test(String(source.data)))
    throw new Refusal(`${where}.image.source.base64: invalid base64 data`);
}

function checkResult(block: Fields, where: string): void {
  const content = block.content as Fields[] | undefined;
  if (content?.length === 0) throw new Refusal(`${where}.tool_result.content: empty`);
  if (block.is_error && !content)
    throw new Refusal(`${where}.tool_result: content cannot be empty if \`is_error\` is true`);
  for (const [n, inner] of (content ?? []).entries()) {
    if (inner.type !== 'text' && inner.type !== 'image') throw new Refusal(`${where}.content.${n}: Input tag`);
    checkBlock(inner, 'user', `${where}.content.${n}`);
  }
}

function checkPairs(messages: readonly { role: string; content: Fields[] }[]): void {
  const seenIds = new Set<unknown>();
  for (const [index, { role, content }] of messages.entries()) {
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    for (const id of calls) {
      if (seenIds.has(id)) throw new Refusal('messages: `tool_use` ids must be unique');
      seenIds.add(id);
    }
    // The API looks for results only at the start of the message.
    const next = messages[index + 1]?.content ?? [];
    const firstResults = next.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id);
    const missing = calls.filter((id) => !firstResults.includes(id));
    if (missing.length > 0)
      throw new Refusal(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    if (role !== 'user') continue;
    const previousIds = (messages[index - 1]?.content ?? []).map(({ id }) => id);
    const results = content.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    const unexpected = results.find((id) => !previousIds.includes(id));
    if (unexpected !== undefined)
      throw new Refusal(
        `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (new Set(results).size < results.length)
      throw new Refusal('each tool_use must have a single result. Found multiple `tool_result` blocks');
  }
}

function checkCacheMarkers(body: Fields): void {
  const count = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)?.length ?? 0;
  if (count > 4) throw new Refusal(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
}
