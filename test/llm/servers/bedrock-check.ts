// Checks requests like Bedrock ConverseStream and throws its error messages.
import { createBedrockError } from './bedrock-auth.ts';
import { HIDDEN, type IssuedThinking } from './bedrock-frames.ts';
import { assertKnownKeys, type Fields, getList, type Refusal } from './loopback.ts';

function invalid(message: string): Refusal {
  return createBedrockError(400, 'ValidationException', message);
}

function modelError(message: string): Refusal {
  return invalid(`The model returned the following errors: ${message}`);
}

function unknownKeyError(where: string): (key: string) => Refusal {
  return (key) =>
    invalid(
      `Malformed input request: #${where}: extraneous key [${key}] is not permitted, please reformat your input and try again.`,
    );
}

/** Differences between the served models. */
interface Served {
  maxTokens: number;
  supportsCaching?: true;
  supportsImages?: true;
  /** Model-specific request fields. */
  fields: readonly string[];
  thinking?: 'budget' | 'adaptive';
}

const CLAUDE = ['thinking', 'output_config', 'anthropic_beta'];

export const SERVED: Readonly<Record<string, Served>> = {
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0': {
    maxTokens: 64_000,
    supportsCaching: true,
    supportsImages: true,
    fields: CLAUDE,
    thinking: 'budget',
  },
  'us.anthropic.claude-opus-4-7': {
    maxTokens: 128_000,
    supportsCaching: true,
    supportsImages: true,
    fields: CLAUDE,
    thinking: 'adaptive',
  },
  'us.amazon.nova-2-lite-v1:0': {
    maxTokens: 10_000,
    supportsCaching: true,
    supportsImages: true,
    fields: ['reasoningConfig'],
  },
  'openai.gpt-oss-120b-1:0': { maxTokens: 32_768, fields: ['reasoning_effort'] },
  'meta.llama4-scout-17b-instruct-v1:0': { maxTokens: 8192, supportsImages: true, fields: [] },
  'mistral.mistral-large-3-675b-instruct': { maxTokens: 32_768, supportsImages: true, fields: [] },
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
  assertKnownKeys(body, BODY, unknownKeyError(''));
  const messages = getList(body, 'messages');
  checkOrder(messages);
  for (const [index, message] of messages.entries()) checkMessage(message, index, served, issued, model);
  checkPairs(messages);
  checkTools(body, messages);
  checkCachePoints(body, messages, served);
  checkThinking(body, messages, served);
}

function checkOrder(messages: readonly Fields[]): void {
  if (messages[0]?.role !== 'user')
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  for (const [index, { role }] of messages.entries())
    if (index > 0 && role === messages[index - 1]?.role)
      throw invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
  if (messages.at(-1)?.role !== 'user')
    throw modelError(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
}

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'toolResult', 'cachePoint'],
  assistant: ['text', 'toolUse', 'reasoningContent', 'cachePoint'],
};

function checkMessage(message: Fields, index: number, served: Served, issued: IssuedThinking, model: string): void {
  assertKnownKeys(message, ['role', 'content'], unknownKeyError(`/messages/${index}`));
  const blocks = getList(message, 'content');
  if (blocks.length === 0)
    throw invalid(
      `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  for (const [n, block] of blocks.entries()) {
    assertKnownKeys(block, BLOCKS[String(message.role)] ?? [], unknownKeyError(`/messages/${index}/content/${n}`));
    const where = `messages.${index}.content.${n}`;
    checkText(block, where);
    checkImage(block, where, served);
    const { toolUse, toolResult } = block as Record<string, Fields | undefined>;
    if (toolUse) {
      assertKnownKeys(toolUse, ['toolUseId', 'name', 'input'], unknownKeyError(`/${where}`));
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

function checkImage(block: Fields, where: string, { supportsImages: sees }: Served): void {
  if (!('image' in block)) return;
  const { format, source } = assertKnownKeys(block.image, ['format', 'source'], unknownKeyError(`/${where}/image`));
  if (!sees) throw invalid("This model doesn't support the image content block that you provided.");
  if (!['png', 'jpeg', 'gif', 'webp'].includes(String(format))) throw invalid(`Invalid image format at ${where}`);
  const { bytes } = assertKnownKeys(source, ['bytes'], unknownKeyError(`/${where}/image/source`));
  if (!/^[A-Za-z0-9+/]+=*$/.test(String(bytes))) throw invalid(`Could not decode the image at ${where}`);
}

function checkId(id: unknown, where: string, model: string): void {
  if (!/^[a-zA-Z0-9_.:-]{1,64}$/.test(String(id)))
    throw invalid(
      `Value '${id}' at '${where}.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
    );
  if (model.startsWith('mistral') && !/^[a-zA-Z0-9]{9}$/.test(String(id)))
    throw modelError(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
}

function checkResult(result: Fields, where: string, served: Served, model: string): void {
  assertKnownKeys(result, ['toolUseId', 'content', 'status'], unknownKeyError(`/${where}/toolResult`));
  checkId(result.toolUseId, where, model);
  const blocks = getList(result, 'content');
  if (blocks.length === 0) throw invalid(`The content field in the ToolResultBlock object at ${where} is empty.`);
  for (const block of blocks) {
    assertKnownKeys(block, ['text', 'image', 'json'], unknownKeyError(`/${where}/toolResult/content`));
    checkText(block, where);
    if (block.image && !served.supportsCaching) throw invalid('This model does not support images in tool results.');
    checkImage(block, where, served);
  }
}

function checkReasoning(content: Fields, where: string, issued: IssuedThinking): void {
  assertKnownKeys(content, ['reasoningText', 'redactedContent'], unknownKeyError(`/${where}/reasoningContent`));
  const { text, signature } = (content.reasoningText ?? { text: HIDDEN, signature: content.redactedContent }) as Fields;
  if (issued.get(String(signature)) !== text) throw modelError(`${where}: Invalid \`signature\` in \`thinking\` block`);
}

const getToolUseIds = (message: Fields | undefined, kind: string) =>
  getList(message ?? {}, 'content').flatMap((block) =>
    block[kind] ? [String((block[kind] as Fields).toolUseId)] : [],
  );

function checkPairs(messages: readonly Fields[]): void {
  for (const [index, message] of messages.entries()) {
    const results = getToolUseIds(messages[index + 1], 'toolResult');
    const calls = getToolUseIds(message, 'toolUse');
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length > 0)
      throw invalid(
        `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${missing.join(', ')}`,
      );
    if (results.length > calls.length)
      throw invalid(
        `The number of toolResult blocks at messages.${index + 1}.content exceeds the number of toolUse blocks of previous turn.`,
      );
  }
  if (getToolUseIds(messages[0], 'toolResult').length > 0)
    throw invalid(
      'The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn.',
    );
}

function checkTools(body: Fields, messages: readonly Fields[]): void {
  const { tools = [] } = assertKnownKeys(body.toolConfig, ['tools'], unknownKeyError('/toolConfig'));
  const hasCalls = messages.some((message) => getToolUseIds(message, 'toolUse').length > 0);
  if (hasCalls && body.toolConfig === undefined)
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  for (const tool of tools as Fields[]) {
    const { toolSpec } = assertKnownKeys(tool, ['toolSpec'], unknownKeyError('/toolConfig/tools'));
    const { name, inputSchema } = assertKnownKeys(
      toolSpec,
      ['name', 'description', 'inputSchema'],
      unknownKeyError('/toolConfig/tools/toolSpec'),
    );
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw invalid(`Invalid tool name ${name}`);
    if ((inputSchema as { json?: Fields }).json?.type !== 'object')
      throw invalid(
        `The value at toolConfig.tools.toolSpec.inputSchema.json.type must be one of the following: object.`,
      );
  }
}

function checkCachePoints(body: Fields, messages: readonly Fields[], { supportsCaching: caches }: Served): void {
  const blocks = [...getList(body, 'system'), ...messages.flatMap((message) => getList(message, 'content'))];
  const cachePoints = blocks.filter((block) => 'cachePoint' in block);
  if (cachePoints.length > 0 && !caches)
    throw invalid(
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    );
  if (cachePoints.length > 4) throw modelError('A maximum of 4 blocks with cache_control may be provided.');
}

function checkThinking(
  body: Fields,
  messages: readonly Fields[],
  { maxTokens: limit, fields, thinking }: Served,
): void {
  const { maxTokens = limit } = assertKnownKeys(
    body.inferenceConfig,
    ['maxTokens', 'temperature', 'topP', 'stopSequences'],
    unknownKeyError('/inferenceConfig'),
  );
  if (Number(maxTokens) > limit)
    throw invalid(
      `The maximum tokens you requested exceeds the model limit of ${limit}. Try again with a maximum tokens value that is lower than ${limit}.`,
    );
  const modelFields = assertKnownKeys(body.additionalModelRequestFields, fields, unknownKeyError(''));
  const thinkingConfig = modelFields.thinking as { type: string; budget_tokens?: number } | undefined;
  if (!thinkingConfig) return;
  if ((thinkingConfig.type === 'enabled') !== (thinking === 'budget'))
    throw modelError(`\`thinking.type.${thinkingConfig.type}\` is not supported for this model.`);
  if (thinkingConfig.type !== 'enabled') return;
  if (Number(thinkingConfig.budget_tokens) < 1024 || Number(thinkingConfig.budget_tokens) >= Number(maxTokens))
    throw modelError('`max_tokens` must be greater than `thinking.budget_tokens`.');
  let turnStart: Fields | undefined;
  for (
    let index = messages.length - 1;
    index > 0 && getToolUseIds(messages[index], 'toolResult').length > 0;
    index -= 2
  )
    turnStart = messages[index - 1];
  const [firstBlock] = getList(turnStart ?? {}, 'content');
  if (firstBlock && !firstBlock.reasoningContent)
    throw modelError(
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    );
}
