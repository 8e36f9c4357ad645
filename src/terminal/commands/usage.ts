// The texts of /cost and /context.
import type { Client } from '../../client/index.ts';
import type { AgentMessage } from '../../protocol/index.ts';

interface ModelUsage {
  readonly model: string;
  cost: number;
  readonly tokens: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

const BAR_WIDTH = 40;
/** Tools and context files that are listed one by one. */
const MAX_LISTED = 8;

export async function describeCost(client: Client): Promise<string> {
  const [{ tokens, cost }, { messages }] = await Promise.all([
    client.call('get_session_stats'),
    client.call('get_messages'),
  ]);
  const models = groupByModel(messages);
  const isCompacted = messages.some(({ role }) => role === 'compactionSummary');
  const byModel = models.map(
    ({ model, cost: modelCost, tokens: used }) =>
      `  ${model}: ${formatCost(modelCost)} · in ${formatCount(used.input)} · out ${formatCount(used.output)} · cache ${formatCount(used.cacheRead + used.cacheWrite)}`,
  );
  return [
    `Cost: ${formatCost(cost)}${isCompacted ? ' since the context was compacted' : ''}`,
    ...formatRows([
      ['input', tokens.input],
      ['output', tokens.output],
      ['cache read', tokens.cacheRead],
      ['cache write', tokens.cacheWrite],
      ['total', tokens.total],
    ]),
    ...(models.length > 1 ? ['By model:', ...byModel] : []),
  ].join('\n');
}

function groupByModel(messages: readonly AgentMessage[]): ModelUsage[] {
  const models = new Map<string, ModelUsage>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const model = `${message.provider}/${message.model}`;
    const { usage } = message;
    const entry = models.get(model) ?? {
      model,
      cost: 0,
      tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    entry.cost += usage.cost.total;
    entry.tokens.input += usage.input;
    entry.tokens.output += usage.output;
    entry.tokens.cacheRead += usage.cacheRead;
    entry.tokens.cacheWrite += usage.cacheWrite;
    models.set(model, entry);
  }
  return [...models.values()];
}

export async function describeContext(client: Client): Promise<string> {
  const { contextWindow, tokens, systemPrompt, contextFiles, tools, messages } =
    await client.call('get_context_breakdown');
  const free = Math.max(0, contextWindow - tokens);
  const sum = (parts: readonly { tokens: number }[]) => parts.reduce((total, part) => total + part.tokens, 0);
  const rows: [string, number][] = [
    ['system prompt', systemPrompt.tokens],
    [`tools (${tools.length})`, sum(tools)],
    [`context files (${contextFiles.length})`, sum(contextFiles)],
    [`messages (${messages.count})`, messages.tokens],
  ];
  const isKnown = contextWindow > 0;
  const percent = isKnown ? Math.round((tokens / contextWindow) * 100) : 0;
  const head = isKnown
    ? [
        `Context: about ${formatCount(tokens)} of ${formatCount(contextWindow)} tokens (${percent}%)`,
        formatBar(
          rows.map(([, size]) => size),
          contextWindow,
        ),
      ]
    : [`Context: about ${formatCount(tokens)} tokens; the size of the context window is not known`];
  return [
    ...head,
    ...formatRows(isKnown ? [...rows, ['free', free]] : rows, contextWindow),
    ...listLargest(
      'Context files',
      contextFiles.map(({ path, tokens: size }) => [path, size]),
    ),
    ...listLargest(
      'Largest tools',
      tools.map(({ name, tokens: size }) => [name, size]),
    ),
  ].join('\n');
}

const BAR_CHARACTERS = ['█', '▓', '▒', '■'];

/** One character for each part of the window; a part that is not empty has at least one. */
function formatBar(sizes: readonly number[], contextWindow: number): string {
  const used = sizes
    .map((size, at) =>
      (BAR_CHARACTERS[at] ?? '█').repeat(size === 0 ? 0 : Math.max(1, Math.round((size / contextWindow) * BAR_WIDTH))),
    )
    .join('')
    .slice(0, BAR_WIDTH);
  return `[${used.padEnd(BAR_WIDTH, '·')}]`;
}

function formatRows(rows: readonly (readonly [string, number])[], whole = 0): string[] {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const texts = rows.map(([, count]) => formatCount(count));
  const countWidth = Math.max(...texts.map((text) => text.length));
  return rows.map(([name, count], at) => {
    const share = whole > 0 ? `  ${((count / whole) * 100).toFixed(1).padStart(5)}%` : '';
    const mark = whole > 0 ? `${BAR_CHARACTERS[at] ?? '·'} ` : '';
    return `  ${mark}${name.padEnd(nameWidth)}  ${(texts[at] ?? '').padStart(countWidth)}${share}`;
  });
}

function listLargest(title: string, parts: readonly (readonly [string, number])[]): string[] {
  if (parts.length === 0) return [];
  const largest = [...parts].sort(([, one], [, other]) => other - one).slice(0, MAX_LISTED);
  return [`${title}: ${largest.map(([name, size]) => `${name} ${formatCount(size)}`).join(', ')}`];
}

function formatCost(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

/** With a comma between thousands. Does not use Intl, because its first use is slow. */
function formatCount(count: number): string {
  const digits = String(Math.round(count));
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}
