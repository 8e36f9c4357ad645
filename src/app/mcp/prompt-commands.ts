// The prompts of MCP servers as slash commands: /mcp__server__prompt first "second argument" name=value
import { Fault } from '../../base/index.ts';
import type { InputHookResult, McpPrompt, McpServers, SlashCommand, SubmittedInput } from '../../contracts/index.ts';
import { splitArguments } from '../../core/resources/templates.ts';
import { toolNameFor } from '../../mcp/index.ts';

const COMMAND = /^\/(\S+)\s*([\s\S]*)$/;

export function listPromptCommands(prompts: readonly McpPrompt[]): readonly SlashCommand[] {
  return prompts.map((prompt) => ({
    name: getName(prompt),
    description: [prompt.description, formatArguments(prompt)].filter(Boolean).join(' '),
    source: 'prompt',
  }));
}

/** `undefined` when there are no servers: the text is then an ordinary prompt. */
export async function expandPromptCommand(
  servers: Pick<McpServers, 'prompts' | 'getPrompt' | 'getStatus'>,
  { text, images, signal }: SubmittedInput,
): Promise<InputHookResult | undefined> {
  if (servers.getStatus().length === 0) return undefined;
  const [, name = '', argumentText = ''] = COMMAND.exec(text) ?? [];
  const prompt = servers.prompts.find((candidate) => getName(candidate) === name);
  if (!prompt) throw createUnknownFault(servers, name);
  const content = await servers.getPrompt(prompt.server, prompt.name, readArguments(prompt, argumentText), signal);
  return { text: content.text, images: [...images, ...content.images] };
}

function getName({ server, name }: McpPrompt): string {
  return toolNameFor(server, name);
}

function formatArguments({ arguments: declared }: McpPrompt): string {
  return declared.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/** Words without a name are the arguments in their declared order. If only one is left, it gets all of them. */
function readArguments(prompt: McpPrompt, text: string): Record<string, string> {
  const declared = prompt.arguments.map(({ name }) => name);
  const named = new Map<string, string>();
  const positional: string[] = [];
  for (const word of splitArguments(text)) {
    const equals = word.indexOf('=');
    const name = word.slice(0, Math.max(equals, 0));
    if (declared.includes(name)) named.set(name, word.slice(equals + 1));
    else positional.push(word);
  }
  const open = declared.filter((name) => !named.has(name));
  if (open.length === 1 && positional.length > 1) positional.splice(0, positional.length, positional.join(' '));
  if (positional.length > open.length)
    throw createUsageFault(prompt, `has ${open.length} open arguments, not ${positional.length}`);
  for (const [index, value] of positional.entries()) named.set(open[index] ?? '', value);
  const missing = prompt.arguments.filter(({ name, required }) => required && !named.get(name));
  if (missing.length > 0) throw createUsageFault(prompt, `needs ${missing.map(({ name }) => name).join(', ')}`);
  return Object.fromEntries(named);
}

function createUsageFault(prompt: McpPrompt, problem: string): Fault {
  const name = `/${getName(prompt)}`;
  return new Fault('invalid_params', `${name} ${problem}. Usage: ${`${name} ${formatArguments(prompt)}`.trim()}`);
}

function createUnknownFault({ prompts, getStatus }: Pick<McpServers, 'prompts' | 'getStatus'>, name: string): Fault {
  const known = prompts.map((prompt) => `/${getName(prompt)}`).join(', ') || 'none';
  const missing = getStatus().filter(({ state }) => state !== 'connected');
  const hint = missing.length > 0 ? ` Not connected: ${missing.map((server) => server.name).join(', ')}.` : '';
  return new Fault('invalid_params', `There is no MCP prompt /${name}. Available: ${known}.${hint}`);
}
