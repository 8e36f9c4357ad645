// First floor, core: what is said, from the words at the door to the body of a request, as extensions may change it.
import { isRecord } from '../../../base/index.ts';
import type { Hooks, InputVerdict, RunPreparation, Said } from '../../../contracts/index.ts';
import type { AgentMessage, CustomMessage } from '../../../protocol/index.ts';
import { promptOptions } from '../prompt-options.ts';
import type { HandlerRunner } from '../runner.ts';

export interface PromptParts {
  runner: HandlerRunner;
  now(): number;
  /** A prompt that begins with the name of a command. */
  command(said: Said): InputVerdict | undefined;
}

export async function input({ command, runner }: PromptParts, said: Said): Promise<InputVerdict | undefined> {
  const own = command(said);
  if (own || !runner.has('input')) return own;
  const { text, images, source } = said;
  // The next handler sees the words as this one left them.
  const event = { type: 'input', text, images: images.length > 0 ? images : undefined, source };
  let handled = false;
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (result.action === 'transform' && typeof result.text === 'string') {
      event.text = result.text;
      if (Array.isArray(result.images)) event.images = result.images as typeof images;
    }
    handled = result.action === 'handled' || result.handled === true;
    return handled;
  });
  if (handled) return { handled: true };
  const changed = event.text !== text || (event.images ?? images) !== images;
  return changed ? { text: event.text, images: event.images } : undefined;
}

export async function beforeRun(
  { runner, now }: PromptParts,
  opening: Parameters<NonNullable<Hooks['beforeRun']>>[0],
): Promise<RunPreparation> {
  const messages: CustomMessage[] = [];
  const event = {
    type: 'before_agent_start',
    prompt: opening.prompt,
    ...(opening.images.length > 0 ? { images: [...opening.images] } : {}),
    systemPrompt: opening.systemPrompt,
    systemPromptOptions: promptOptions(opening.sources, opening.sources.cwd),
  };
  const { sections } = event.systemPromptOptions;
  await runner.emit(event, (result) => {
    if (isRecord(result) && isRecord(result.message)) messages.push(customMessage(result.message, now()));
    // The next handler sees the prompt as this one left it.
    if (isRecord(result) && typeof result.systemPrompt === 'string') event.systemPrompt = result.systemPrompt;
    event.systemPrompt += sectionsIn(sections);
    return false;
  });
  const changed = event.systemPrompt !== opening.systemPrompt;
  return { messages, ...(changed ? { systemPrompt: event.systemPrompt } : {}) };
}

/** What handlers have added since they were last looked at. */
function sectionsIn(sections: Record<string, unknown>): string {
  const texts = Object.entries(sections).map(([tag, text]) => `\n\n<${tag}>\n${text}\n</${tag}>`);
  for (const tag of Object.keys(sections)) delete sections[tag];
  return texts.join('');
}

function customMessage(message: Readonly<Record<string, unknown>>, timestamp: number): CustomMessage {
  const { customType, content, display, details } = message;
  return {
    role: 'custom',
    customType: String(customType ?? 'extension'),
    content: (content ?? '') as CustomMessage['content'],
    display: display !== false,
    ...(details === undefined ? {} : { details }),
    timestamp,
  };
}

export async function context(
  runner: HandlerRunner,
  messages: readonly AgentMessage[],
): Promise<readonly AgentMessage[] | undefined> {
  const event = { type: 'context', messages: [...messages] };
  await runner.emit(event, (result) => {
    if (isRecord(result) && Array.isArray(result.messages)) event.messages = result.messages as AgentMessage[];
    return false;
  });
  return event.messages;
}

export async function beforeRequest(runner: HandlerRunner, payload: unknown): Promise<unknown> {
  const event = { type: 'before_provider_request', payload };
  await runner.emit(event, (result) => {
    if (result !== undefined) event.payload = result;
    return false;
  });
  return event.payload;
}
