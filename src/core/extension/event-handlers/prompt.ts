// Events in which extensions change the input, the system prompt, the messages or the request body.
import { Fault, isRecord } from '../../../base/index.ts';
import type {
  Hooks,
  InputHookResult,
  PlannedRequest,
  RequestHeaders,
  RunHookResult,
  SubmittedInput,
} from '../../../contracts/index.ts';
import type { AgentMessage, CustomMessage } from '../../../protocol/index.ts';
import type { Extension } from '../extension.ts';
import type { HandlerRunner } from '../handler-runner.ts';
import { createPromptOptions } from '../prompt-options.ts';
import {
  createInitialSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  isSystemMessage,
} from '../system-messages.ts';

export interface PromptHookOptions {
  runner: HandlerRunner;
  now(): number;
  report(extension: Pick<Extension, 'path'>, event: string, thrown: unknown): void;
  /** Resolves a prompt that starts with a slash command. */
  resolveCommand(submittedInput: SubmittedInput): InputHookResult | undefined;
}

export async function emitInput(
  { resolveCommand, runner }: PromptHookOptions,
  submittedInput: SubmittedInput,
): Promise<InputHookResult | undefined> {
  const commandResult = resolveCommand(submittedInput);
  if (commandResult || !runner.hasHandler('input')) return commandResult;
  const { text, images, source } = submittedInput;
  // Each handler sees the text as changed by the handlers before it.
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

export async function emitBeforeAgentStart(
  { runner, now }: PromptHookOptions,
  plannedRun: Parameters<NonNullable<Hooks['beforeRun']>>[0],
): Promise<RunHookResult> {
  const messages: CustomMessage[] = [];
  const event = {
    type: 'before_agent_start',
    prompt: plannedRun.prompt,
    ...(plannedRun.images.length > 0 ? { images: [...plannedRun.images] } : {}),
    systemPrompt: plannedRun.systemPrompt,
    systemPromptOptions: createPromptOptions(plannedRun.sources, plannedRun.sources.cwd),
  };
  const { sections } = event.systemPromptOptions;
  await runner.emit(event, (result) => {
    if (isRecord(result) && isRecord(result.message)) messages.push(createCustomMessage(result.message, now()));
    // The next handler sees the changed prompt.
    if (isRecord(result) && typeof result.systemPrompt === 'string') event.systemPrompt = result.systemPrompt;
    event.systemPrompt += takeSections(sections);
    return false;
  });
  const changed = event.systemPrompt !== plannedRun.systemPrompt;
  return { messages, ...(changed ? { systemPrompt: event.systemPrompt } : {}) };
}

/** Formats and removes the sections that a handler has added. */
function takeSections(sections: Record<string, unknown>): string {
  const texts = Object.entries(sections).map(([tag, text]) => `\n\n<${tag}>\n${text}\n</${tag}>`);
  for (const tag of Object.keys(sections)) delete sections[tag];
  return texts.join('');
}

function createCustomMessage(message: Readonly<Record<string, unknown>>, timestamp: number): CustomMessage {
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

export async function emitContext(
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

export async function emitBeforeProviderRequest(runner: HandlerRunner, payload: unknown): Promise<unknown> {
  const event = { type: 'before_provider_request', payload };
  await runner.emit(event, (result) => {
    if (result !== undefined) event.payload = result;
    return false;
  });
  return event.payload;
}

/** Fired after `context`, with the system prompt and the tools as the first message. The result is sent as it is. */
export async function emitContextWithSystem(
  { runner, report, now }: PromptHookOptions,
  { systemPrompt, tools, messages }: PlannedRequest,
): Promise<PlannedRequest> {
  const first = createInitialSystemMessage(systemPrompt, tools);
  const event = {
    type: 'context_with_system',
    messages: [...(first ? [{ ...first, timestamp: now() }] : []), ...messages],
  };
  await runner.emit(event, (result, extension) => {
    if (!isRecord(result) || !Array.isArray(result.messages)) return false;
    if (isSystemMessage(result.messages[0])) event.messages = result.messages as typeof event.messages;
    else report(extension, event.type, new Fault('invalid_params', 'The first message must be a system message'));
    return false;
  });
  return {
    systemPrompt: getCurrentSystemPrompt(event.messages),
    tools: getCurrentTools(event.messages),
    messages: event.messages.filter((message): message is AgentMessage => !isSystemMessage(message)),
  };
}

/** Handlers change `headers` in place; `null` removes a header. */
export async function emitBeforeProviderHeaders(
  runner: HandlerRunner,
  headers: RequestHeaders,
): Promise<RequestHeaders> {
  const event = { type: 'before_provider_headers', headers: { ...headers } };
  await runner.emit(event);
  return event.headers;
}
