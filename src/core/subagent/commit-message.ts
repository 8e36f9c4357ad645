// First floor, core: lets the model word a commit. Whatever goes wrong, there is a message all the same.
import type { Ports } from '../../contracts/index.ts';
import { textOf } from '../../protocol/index.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import { spendingOf } from '../policy/budget.ts';
import type { Purse, SubagentHost } from '../session/family.ts';
import type { Spawner } from './spawner.ts';

const SYSTEM_PROMPT =
  'You write commit messages. Answer with the message alone: one line of at most 72 characters that says what the change does, in the imperative; after an empty line a few more only when they are needed.';
/** Of the patch; the beginning tells what it is about. */
const SHOWN = 20_000;
const LONGEST = 2000;

export async function wordedByModel(
  spawner: Spawner,
  host: SubagentHost,
  change: { patch: string; description: string; purse: Purse | undefined; signal: AbortSignal },
): Promise<string> {
  const { description, signal, purse } = change;
  const { models, ports } = spawner.base;
  const { model } = host;
  if (!model || purse?.exhausted) return description;
  try {
    const text = `${description}\n\n${await beginning(ports, change.patch)}`;
    const stream = models.stream({
      model,
      systemPrompt: SYSTEM_PROMPT,
      messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: ports.clock.now() }],
      tools: [],
      thinkingLevel: 'off',
      signal,
      sessionId: ports.ids.uuid(),
    });
    for await (const event of untilAborted(stream, signal, ports.clock)) {
      if (event.type !== 'done') continue;
      await purse?.spend(spendingOf(event.message.usage));
      return textOf(event.message.content).trim().slice(0, LONGEST) || description;
    }
  } catch (thrown) {
    ports.log('no commit message', { error: String(thrown) });
  }
  return description;
}

async function beginning({ files }: Ports, patch: string): Promise<string> {
  return new TextDecoder().decode(await files.read(patch, { start: 0, length: SHOWN }));
}
