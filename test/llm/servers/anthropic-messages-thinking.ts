// What the Messages API refuses about thinking: settings that a model does not have, blocks that it did not write.
import { createHash } from 'node:crypto';
import type { ServedModel } from './anthropic-messages-models.ts';
import { type Fields, only, prefixOf, Refusal } from './anthropic-messages-refusal.ts';

/** What the server has written: signature (or the data of hidden thinking) → the text and the conversation before it. */
export type IssuedThinking = Map<string, { thinking: string; prefix: string }>;

export function signatureOf(thinking: string, prefix: string): string {
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
  const drops = binding?.prefix_mismatch_behavior === 'drop_block';
  for (const [at, { content }] of messages.entries())
    for (const [n, block] of content.entries()) {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') continue;
      const known = issued.get(String(block.signature ?? block.data));
      const where = `messages.${at}.content.${n}`;
      if (!known || (block.type === 'thinking' && known.thinking !== block.thinking))
        throw new Refusal(`${where}: Invalid \`signature\` in \`thinking\` block`);
      if (model.binds && !drops && known.prefix !== prefixOf(body, messages.slice(0, at)))
        throw new Refusal(
          `${where}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
        );
    }
}

function checkEffort(body: Fields, model: ServedModel, thinking: Fields | undefined): void {
  if (body.output_config === undefined) return;
  only(body.output_config, ['effort'], 'output_config.');
  const { effort } = body.output_config as Fields;
  if (model.efforts.length === 0) throw new Refusal('This model does not support the effort parameter.');
  if (!model.efforts.includes(String(effort)))
    throw new Refusal(
      `This model does not support effort level '${effort}'. Supported levels: ${model.efforts.join(', ')}.`,
    );
  const off = thinking?.type === 'disabled' || thinking?.type === 'between_tools';
  if (off && (effort === 'xhigh' || effort === 'max'))
    throw new Refusal(`output_config.effort: ${effort} needs thinking`);
}

function checkSettings(body: Fields, model: ServedModel, betas: readonly string[], thinking?: Fields): void {
  if (!thinking) return;
  const type = String(thinking.type);
  if (!model.thinking.includes(type)) throw new Refusal(`"thinking.type.${type}" is not supported for this model.`);
  only(thinking, ['type', ...(KEYS[type] ?? [])], `thinking.${type}.`);
  if (thinking.block_binding && !betas.includes('thinking-binding-controls-2026-08-01'))
    throw new Refusal(`thinking.${type}.block_binding: Extra inputs are not permitted`);
  if (type !== 'enabled') return;
  const budget = thinking.budget_tokens as number;
  if (!(budget >= 1024))
    throw new Refusal('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= (body.max_tokens as number))
    throw new Refusal('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

/** A turn that goes on after tool results must have begun with thinking. */
function checkTurn(messages: readonly { content: Fields[] }[]): void {
  let at = messages.length - 1;
  while (at > 0 && messages[at]?.content.some(({ type }) => type === 'tool_result')) at -= 2;
  const first = messages[at + 1]?.content[0]?.type;
  if (first === undefined || first === 'thinking' || first === 'redacted_thinking') return;
  throw new Refusal(
    `messages.${at + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
