// First floor, core: `pi`, the object that an extension gets when it is loaded. Registering is for then, acting for later.
import { Fault, isRecord, ownValue } from '../../base/index.ts';
import type {
  AgentSession,
  ExtensionCommand,
  ExtensionFlag,
  ExtensionHandler,
  ExtensionProvider,
  ExtensionTool,
  SendOptions,
  SlashCommand,
  ToolOffer,
} from '../../contracts/index.ts';
import type { CustomMessage, ImageContent, Model, TextContent, ThinkingLevel } from '../../protocol/index.ts';
import type { EventBus } from './bus.ts';
import type { Deeds } from './deeds.ts';
import { type ExecOptions, type ExecResult, exec } from './exec.ts';
import type { Extension } from './extension.ts';
import type { Surroundings } from './surroundings.ts';

const NOT_YET = 'Extension runtime not initialized. Action methods cannot be called during extension loading.';

export interface ApiParts {
  /** Absent while extensions are being loaded. */
  surroundings(): Surroundings | undefined;
  /** As they were given on the command line. */
  flags: Readonly<Record<string, string | boolean>>;
  events: EventBus;
  /** What is done without waiting for it. */
  deeds: Deeds;
  /** The tools, as they were when they were last looked at. */
  tools(): { all: readonly ToolOffer[]; active: readonly string[] };
  chooseTools(names: readonly string[]): void;
  commands(): readonly SlashCommand[];
  provide(extension: Extension, name: string, provider: ExtensionProvider): void;
  withdraw(name: string): void;
  toolsChanged(): void;
  /** It asked for something that is not offered here. */
  lacks(extension: Extension, method: string, what: string): void;
  /** What other members of the family find on this object: modules, a logger. */
  extras: Readonly<Record<string, unknown>>;
}

type Content = string | (TextContent | ImageContent)[];

export function createApi(extension: Extension, parts: ApiParts) {
  return { ...registering(extension, parts), ...acting(extension, parts), ...parts.extras, events: parts.events };
}

export type ExtensionApi = ReturnType<typeof createApi>;

function registering(extension: Extension, parts: ApiParts) {
  const { handlers, tools, commands, flags, path } = extension;
  const ignored = (..._: unknown[]): void => {};
  return {
    /** Returns the way to stop listening. */
    on(event: string, handler: ExtensionHandler): () => void {
      if (typeof handler !== 'function') throw new Fault('invalid_params', `The handler of ${event} is no function`);
      handlers.set(event, [...(handlers.get(event) ?? []), handler]);
      return () => {
        const others = (handlers.get(event) ?? []).filter((known) => known !== handler);
        if (others.length > 0) handlers.set(event, others);
        else handlers.delete(event);
      };
    },
    registerTool(tool: ExtensionTool): void {
      if (!isRecord(tool) || typeof tool.name !== 'string' || typeof tool.execute !== 'function') {
        throw new Fault('invalid_params', `A tool needs a name and an execute function (${path})`);
      }
      tools.set(tool.name, tool);
      parts.toolsChanged();
    },
    registerCommand(name: string, command: ExtensionCommand): void {
      if (typeof command?.handler !== 'function')
        throw new Fault('invalid_params', `The command ${name} has no handler`);
      commands.set(name.replace(/^\//, ''), command);
    },
    registerFlag(name: string, flag: ExtensionFlag = {}): void {
      flags.set(name, flag);
    },
    /** Only what this extension registered. */
    getFlag(name: string): string | boolean | undefined {
      const flag = flags.get(name);
      return flag && flagValue(flag, ownValue(parts.flags, name));
    },
    registerProvider: (name: string, provider: ExtensionProvider) => parts.provide(extension, name, provider),
    unregisterProvider(name: string): void {
      extension.providers.delete(name);
      parts.withdraw(name);
    },
    // Of use only where there is a terminal.
    registerShortcut: ignored,
    registerMessageRenderer: ignored,
    registerEntryRenderer: ignored,
    registerToolRenderer: ignored,
    registerMarkdownTransformer: ignored,
    ...lacking((method, what) => parts.lacks(extension, method, what)),
  };
}

/** An extension that offers one of these beside other things keeps the others. */
function lacking(tell: (method: string, what: string) => void) {
  const lacks = (method: string, what: string) => (): void => tell(method, what);
  return {
    registerVirtualModel: lacks('registerVirtualModel', 'Models that choose among models'),
    unregisterVirtualModel: (): void => {},
    registerMcpServer: lacks('registerMcpServer', 'MCP servers'),
    unregisterMcpServer: (): void => {},
    getMcpServers: (): never[] => [],
  };
}

function flagValue(flag: ExtensionFlag, given: string | boolean | undefined): string | boolean | undefined {
  if (given === undefined) return flag.default;
  if (flag.type === 'boolean') return given !== 'false';
  return typeof given === 'string' ? given : flag.default;
}

function acting(extension: Extension, parts: ApiParts) {
  const here = (): Surroundings => {
    const surroundings = parts.surroundings();
    if (surroundings) return surroundings;
    throw new Fault('refused', NOT_YET);
  };
  const { deeds } = parts;
  /** Nobody waits for it; its failure is an extension's failure. */
  const later = (event: string, begin: (session: AgentSession) => Promise<unknown>): void => {
    const { session, report } = here();
    begin(session).catch((thrown: unknown) => report(extension, event, thrown));
  };
  const inTurn = (event: string, work: (session: AgentSession) => Promise<unknown>): void =>
    later(event, (session) => deeds.inTurn(() => work(session)));
  return {
    sendMessage(
      message: Omit<CustomMessage, 'role' | 'timestamp' | 'display'> & { display?: boolean },
      options?: SendOptions,
    ) {
      const { ports } = here();
      const words = customMessage(message, ports.clock.now());
      later('sendMessage', ({ runs }) =>
        options?.triggerTurn
          ? deeds.begun((accepted) => runs.send(words, { ...options, accepted }))
          : deeds.inTurn(() => runs.send(words, options)),
      );
    },
    sendUserMessage(content: Content, options: { deliverAs?: 'steer' | 'followUp' } = {}): void {
      const streamingBehavior = options.deliverAs;
      later('sendUserMessage', ({ runs }) =>
        deeds.begun((accepted) =>
          runs.prompt({ ...spoken(content), source: 'extension', streamingBehavior, accepted }),
        ),
      );
    },
    appendEntry(customType: string, data?: unknown): void {
      inTurn('appendEntry', ({ entries }) =>
        entries.append({ type: 'custom', customType, ...(data === undefined ? {} : { data }) }),
      );
    },
    setSessionName: (name: string) => inTurn('setSessionName', ({ naming }) => naming.rename(String(name).trim())),
    getSessionName: () => here().session.naming.name,
    /** With one argument it names the extension in some programs; there is no such name here. */
    setLabel(...[entryId, label]: [entryId: string, label?: string | undefined] | [string]): void {
      if (parts.surroundings()?.log.getEntry(entryId))
        inTurn('setLabel', ({ entries }) => entries.label(entryId, label));
    },
    async exec(command: string, args: readonly string[] = [], options: ExecOptions = {}): Promise<ExecResult> {
      const { ports, session } = here();
      return exec(ports, command, args, { ...options, cwd: options.cwd ?? session.cwd });
    },
    getActiveTools: () => [...parts.tools().active],
    getAllTools: () => [...parts.tools().all],
    setActiveTools: (names: readonly string[]) => parts.chooseTools(names),
    getCommands: () => [...parts.commands()],
    async setModel(model: Pick<Model, 'provider' | 'id'>): Promise<boolean> {
      const { session } = here();
      const chosen = session.models.choose(model.provider, model.id).then(
        () => true,
        () => false,
      );
      return deeds.beside(chosen);
    },
    getThinkingLevel: () => here().session.models.thinkingLevel,
    setThinkingLevel: (level: ThinkingLevel) => inTurn('setThinkingLevel', ({ models }) => models.think(level)),
  };
}

function customMessage(
  message: { customType: string; content: CustomMessage['content']; display?: boolean; details?: unknown },
  timestamp: number,
): CustomMessage {
  const { customType, content, display = true, details } = message;
  return { role: 'custom', customType, content, display, ...(details === undefined ? {} : { details }), timestamp };
}

function spoken(content: Content): { message: string; images?: ImageContent[] } {
  if (typeof content === 'string') return { message: content };
  const texts = content.filter((block): block is TextContent => block.type === 'text').map(({ text }) => text);
  return {
    message: texts.join('\n'),
    images: content.filter((block): block is ImageContent => block.type === 'image'),
  };
}
