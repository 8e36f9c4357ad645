// What ConverseStream refuses, in its words: roles that do not alternate, calls without results, altered thinking, blank text.
import { bedrockRefusal } from './bedrock-door.ts';
import { HIDDEN, type IssuedThinking } from './bedrock-frames.ts';
import { type Fields, listIn, only, type Refusal } from './loopback.ts';

function invalid(message: string): Refusal {
  return bedrockRefusal(400, 'ValidationException', message);
}

function ofModel(message: string): Refusal {
  return invalid(`The model returned the following errors: ${message}`);
}

function unknownIn(where: string): (key: string) => Refusal {
  return (key) =>
    invalid(
      `Malformed input request: #${where}: extraneous key [${key}] is not permitted, please reformat your input and try again.`,
    );
}

/** What differs between the models that are served. */
interface Served {
  maxTokens: number;
  caches?: true;
  sees?: true;
  /** Fields that only this model knows. */
  fields: readonly string[];
  thinking?: 'budget' | 'adaptive';
}

const CLAUDE = ['thinking', 'output_config', 'anthropic_beta'];

export const SERVED: Readonly<Record<string, Served>> = {
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0': {
    maxTokens: 64_000,
    caches: true,
    sees: true,
    fields: CLAUDE,
    thinking: 'budget',
  },
  'us.anthropic.claude-opus-4-7': {
    maxTokens: 128_000,
    caches: true,
    sees: true,
    fields: CLAUDE,
    thinking: 'adaptive',
  },
  'us.amazon.nova-2-lite-v1:0': { maxTokens: 10_000, caches: true, sees: true, fields: ['reasoningConfig'] },
  'openai.gpt-oss-120b-1:0': { maxTokens: 32_768, fields: ['reasoning_effort'] },
  'meta.llama4-scout-17b-instruct-v1:0': { maxTokens: 8192, sees: true, fields: [] },
  'mistral.mistral-large-3-675b-instruct': { maxTokens: 32_768, sees: true, fields: [] },
};

const BODY = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
];

export function checkConverse(model: string, body: Fields, issued: IssuedThinking): void {
  const served = SERVED[model];
  if (!served) throw invalid('The provided model identifier is invalid.');
  only(body, BODY, unknownIn(''));
  const messages = listIn(body, 'messages');
  checkOrder(messages);
  for (const [at, message] of messages.entries()) checkMessage(message, at, served, issued, model);
  checkPairs(messages);
  checkTools(body, messages);
  checkMarks(body, messages, served);
  checkThinking(body, messages, served);
}

function checkOrder(messages: readonly Fields[]): void {
  if (messages[0]?.role !== 'user')
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  for (const [at, { role }] of messages.entries())
    if (at > 0 && role === messages[at - 1]?.role)
      throw invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
  if (messages.at(-1)?.role !== 'user')
    throw ofModel(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
}

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'toolResult', 'cachePoint'],
  assistant: ['text', 'toolUse', 'reasoningContent', 'cachePoint'],
};

function checkMessage(message: Fields, at: number, served: Served, issued: IssuedThinking, model: string): void {
  only(message, ['role', 'content'], unknownIn(`/messages/${at}`));
  const blocks = listIn(message, 'content');
  if (blocks.length === 0)
    throw invalid(
      `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  for (const [n, block] of blocks.entries()) {
    only(block, BLOCKS[String(message.role)] ?? [], unknownIn(`/messages/${at}/content/${n}`));
    const where = `messages.${at}.content.${n}`;
    checkText(block, where);
    checkImage(block, where, served);
    const { toolUse, toolResult } = block as Record<string, Fields | undefined>;
    if (toolUse) {
      only(toolUse, ['toolUseId', 'name', 'input'], unknownIn(`/${where}`));
      checkId(toolUse.toolUseId, where, model);
    }
    if (toolResult) checkResult(toolResult, where, served, model);
    if (block.reasoningContent) checkReasoning(block.reasoningContent as Fields, where, issued);
  }
}

function checkText(block: Fields, where: string): void {
  if ('text' in block && String(block.text).trim() === '')
    throw invalid(
      `The text field in the ContentBlock object at ${where} is blank. Add text to the text field, and try again.`,
    );
}

function checkImage(block: Fields, where: string, { sees }: Served): void {
  if (!('image' in block)) return;
  const { format, source } = only(block.image, ['format', 'source'], unknownIn(`/${where}/image`));
  if (!sees) throw invalid("This model doesn't support the image content block that you provided.");
  if (!['png', 'jpeg', 'gif', 'webp'].includes(String(format))) throw invalid(`Invalid image format at ${where}`);
  const { bytes } = only(source, ['bytes'], unknownIn(`/${where}/image/source`));
  if (!/^[A-Za-z0-9+/]+=*$/.test(String(bytes))) throw invalid(`Could not decode the image at ${where}`);
}

function checkId(id: unknown, where: string, model: string): void {
  if (!/^[a-zA-Z0-9_.:-]{1,64}$/.test(String(id)))
    throw invalid(
      `Value '${id}' at '${where}.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
    );
  if (model.startsWith('mistral') && !/^[a-zA-Z0-9]{9}$/.test(String(id)))
    throw ofModel(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
}

function checkResult(result: Fields, where: string, served: Served, model: string): void {
  only(result, ['toolUseId', 'content', 'status'], unknownIn(`/${where}/toolResult`));
  checkId(result.toolUseId, where, model);
  const blocks = listIn(result, 'content');
  if (blocks.length === 0) throw invalid(`The content field in the ToolResultBlock object at ${where} is empty.`);
  for (const block of blocks) {
    only(block, ['text', 'image', 'json'], unknownIn(`/${where}/toolResult/content`));
    checkText(block, where);
    if (block.image && !served.caches) throw invalid('This model does not support images in tool results.');
    checkImage(block, where, served);
  }
}

function checkReasoning(content: Fields, where: string, issued: IssuedThinking): void {
  only(content, ['reasoningText', 'redactedContent'], unknownIn(`/${where}/reasoningContent`));
  const { text, signature } = (content.reasoningText ?? { text: HIDDEN, signature: content.redactedContent }) as Fields;
  if (issued.get(String(signature)) !== text) throw ofModel(`${where}: Invalid \`signature\` in \`thinking\` block`);
}

const idsIn = (message: Fields | undefined, kind: string) =>
  listIn(message ?? {}, 'content').flatMap((block) => (block[kind] ? [String((block[kind] as Fields).toolUseId)] : []));

function checkPairs(messages: readonly Fields[]): void {
  for (const [at, message] of messages.entries()) {
    const results = idsIn(messages[at + 1], 'toolResult');
    const calls = idsIn(message, 'toolUse');
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length > 0)
      throw invalid(
        `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${missing.join(', ')}`,
      );
    if (results.length > calls.length)
      throw invalid(
        `The number of toolResult blocks at messages.${at + 1}.content exceeds the number of toolUse blocks of previous turn.`,
      );
  }
  if (idsIn(messages[0], 'toolResult').length > 0)
    throw invalid(
      'The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn.',
    );
}

function checkTools(body: Fields, messages: readonly Fields[]): void {
  const { tools = [] } = only(body.toolConfig, ['tools'], unknownIn('/toolConfig'));
  const used = messages.some((message) => idsIn(message, 'toolUse').length > 0);
  if (used && body.toolConfig === undefined)
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  for (const tool of tools as Fields[]) {
    const { toolSpec } = only(tool, ['toolSpec'], unknownIn('/toolConfig/tools'));
    const { name, inputSchema } = only(
      toolSpec,
      ['name', 'description', 'inputSchema'],
      unknownIn('/toolConfig/tools/toolSpec'),
    );
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw invalid(`Invalid tool name ${name}`);
    if ((inputSchema as { json?: Fields }).json?.type !== 'object')
      throw invalid(
        `The value at toolConfig.tools.toolSpec.inputSchema.json.type must be one of the following: object.`,
      );
  }
}

function checkMarks(body: Fields, messages: readonly Fields[], { caches }: Served): void {
  const blocks = [...listIn(body, 'system'), ...messages.flatMap((message) => listIn(message, 'content'))];
  const marks = blocks.filter((block) => 'cachePoint' in block);
  if (marks.length > 0 && !caches)
    throw invalid(
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    );
  if (marks.length > 4) throw ofModel('A maximum of 4 blocks with cache_control may be provided.');
}

function checkThinking(body: Fields, messages: readonly Fields[], { maxTokens: most, fields, thinking }: Served): void {
  const { maxTokens = most } = only(
    body.inferenceConfig,
    ['maxTokens', 'temperature', 'topP', 'stopSequences'],
    unknownIn('/inferenceConfig'),
  );
  if (Number(maxTokens) > most)
    throw invalid(
      `The maximum tokens you requested exceeds the model limit of ${most}. Try again with a maximum tokens value that is lower than ${most}.`,
    );
  const more = only(body.additionalModelRequestFields, fields, unknownIn(''));
  const asked = more.thinking as { type: string; budget_tokens?: number } | undefined;
  if (!asked) return;
  if ((asked.type === 'enabled') !== (thinking === 'budget'))
    throw ofModel(`\`thinking.type.${asked.type}\` is not supported for this model.`);
  if (asked.type !== 'enabled') return;
  if (Number(asked.budget_tokens) < 1024 || Number(asked.budget_tokens) >= Number(maxTokens))
    throw ofModel('`max_tokens` must be greater than `thinking.budget_tokens`.');
  let first: Fields | undefined;
  for (let at = messages.length - 1; at > 0 && idsIn(messages[at], 'toolResult').length > 0; at -= 2)
    first = messages[at - 1];
  const [begun] = listIn(first ?? {}, 'content');
  if (begun && !begun.reasoningContent)
    throw ofModel(
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    );
}
