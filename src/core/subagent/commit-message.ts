// Asks the model for a commit message. Falls back to the task's description on any failure.
import type { Ports } from '../../contracts/index.ts';
import { extractText } from '../../protocol/index.ts';
import { takeUntilAborted } from '../agent/take-until-aborted.ts';
import { usageToSpending } from '../policy/budget.ts';
import type { BudgetAccount, SubagentHost } from '../session/parent-link.ts';
import type { Spawner } from './spawner.ts';

const SYSTEM_PROMPT =
  'You write commit messages. Answer with the message alone: one line of at most 72 characters that says what the change does, in the imperative; after an empty line a few more only when they are needed.';
/** Only the start of the patch is sent to the model. */
const MAX_PATCH_BYTES = 20_000;
const MAX_MESSAGE_LENGTH = 2000;

export async function generateCommitMessage(
  spawner: Spawner,
  host: SubagentHost,
  change: { patch: string; description: string; budgetAccount: BudgetAccount | undefined; signal: AbortSignal },
): Promise<string> {
  const { description, signal, budgetAccount } = change;
  const { models, ports } = spawner.base;
  const { model } = host;
  if (!model || budgetAccount?.stoppingLimit) return description;
  try {
    const text = `${description}\n\n${await readPatchStart(ports, change.patch)}`;
    const stream = models.stream({
      model,
      systemPrompt: SYSTEM_PROMPT,
      messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: ports.clock.now() }],
      tools: [],
      thinkingLevel: 'off',
      signal,
      sessionId: ports.ids.uuid(),
    });
    for await (const event of takeUntilAborted(stream, signal, ports.clock)) {
      if (event.type !== 'done') continue;
      await budgetAccount?.charge(usageToSpending(event.message.usage));
      return extractText(event.message.content).trim().slice(0, MAX_MESSAGE_LENGTH) || description;
    }
  } catch (thrown) {
    ports.log('commit message generation failed', { error: String(thrown) });
  }
  return description;
}

async function readPatchStart({ files }: Ports, patch: string): Promise<string> {
  return new TextDecoder().decode(await files.read(patch, { start: 0, length: MAX_PATCH_BYTES }));
}
