// Checks thinking settings and blocks like the Messages API.
import { createHash } from 'node:crypto';
import type { ServedModel } from './anthropic-messages-models.ts';
import { assertKnownKeys, type Fields, hashPrefix, Refusal } from './anthropic-messages-refusal.ts';

/** Issued blocks: signature (or redacted data) → the text and the hash of the messages before it. */
export type IssuedThinking = Map<string, { thinking: string; prefix: string }>;

export function createSignature(thinking: string, prefix: string): string {
  return `Eq${createHash('sha256').update(`${thinking}\n${prefix}`).digest('base64')}`;
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  enabled: ['budget_tokens', 'display'],
  adaptive: ['display', 'block_binding'],
  disabled: [],
  between_tools: [],
};

export function checkThinking(
  body: Fields,
  model: ServedModel,
  betas: readonly string[],
  issued: IssuedThinking,
): void {
  const thinking = body.thinking as Fields | undefined;
  const messages = body.messages as { role: string; content: Fields[] }[];
  checkEffort(body, model, thinking);
  checkSettings(body, model, betas, thinking);
  if (thinking?.type === 'enabled') checkTurn(messages);
  const binding = thinking?.block_binding as Fields | undefined;
  const dropsOnMismatch = binding?.prefix_mismatch_behavior === 'drop_block';
  for (const [index, { content }] of messages.entries())
    for (const [n, block] of content.entries()) {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') continue;
      const issuedBlock = issued.get(String(block.signature ?? block.data));
      const where = `messages.${index}.content.${n}`;
      if (!issuedBlock || (block.type === 'thinking' && issuedBlock.thinking !== block.thinking))
        throw new Refusal(`${where}: Invalid \`signature\` in \`thinking\` block`);
      if (model.bindsThinking && !dropsOnMismatch && issuedBlock.prefix !== hashPrefix(body, messages.slice(0, index)))
        throw new Refusal(
          `${where}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
        );
    }
}

function checkEffort(body: Fields, model: ServedModel, thinking: Fields | undefined): void {
  if (body.output_config === undefined) return;
  assertKnownKeys(body.output_config, ['effort'], 'output_config.');
  const { effort } = body.output_config as Fields;
  if (model.efforts.length === 0) throw new Refusal('This model does not support the effort parameter.');
  if (!model.efforts.includes(String(effort)))
    throw new Refusal(
      `This model does not support effort level '${effort}'. Supported levels: ${model.efforts.join(', ')}.`,
    );
  const isOff = thinking?.type === 'disabled' || thinking?.type === 'between_tools';
  if (isOff && (effort === 'xhigh' || effort === 'max'))
    throw new Refusal(`output_config.effort: ${effort} needs thinking`);
}

function checkSettings(body: Fields, model: ServedModel, betas: readonly string[], thinking?: Fields): void {
  if (!thinking) return;
  const type = String(thinking.type);
  if (!model.thinking.includes(type)) throw new Refusal(`"thinking.type.${type}" is not supported for this model.`);
  assertKnownKeys(thinking, ['type', ...(KEYS[type] ?? [])], `thinking.${type}.`);
  if (thinking.block_binding && !betas.includes('thinking-binding-controls-2026-08-01'))
    throw new Refusal(`thinking.${type}.block_binding: Extra inputs are not permitted`);
  if (type !== 'enabled') return;
  const budget = thinking.budget_tokens as number;
  if (!(budget >= 1024))
    throw new Refusal('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= (body.max_tokens as number))
    throw new Refusal('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

/** A turn that continues after tool results must have started with thinking. */
function checkTurn(messages: readonly { content: Fields[] }[]): void {
  let index = messages.length - 1;
  while (index > 0 && messages[index]?.content.some(({ type }) => type === 'tool_result')) index -= 2;
  const first = messages[index + 1]?.content[0]?.type;
  if (first === undefined || first === 'thinking' || first === 'redacted_thinking') return;
  throw new Refusal(
    `messages.${index + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
