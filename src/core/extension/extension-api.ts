// Creates `pi`, the API object of an extension. Registration methods work during loading, action methods only after it.
import { Fault, getOwnValue, isRecord } from '../../base/index.ts';
import type {
  ExtensionCommand,
  ExtensionFlag,
  ExtensionHandler,
  ExtensionProvider,
  ExtensionTool,
} from '../../contracts/index.ts';
import { type ActionMethodOptions, createActionMethods } from './action-methods.ts';
import type { EventBus } from './event-bus.ts';
import type { Extension } from './extension.ts';

export interface ExtensionApiOptions extends ActionMethodOptions {
  /** Extension flags from the command line. */
  flags: Readonly<Record<string, string | boolean>>;
  events: EventBus;
  registerProvider(extension: Extension, name: string, provider: ExtensionProvider): void;
  unregisterProvider(name: string): void;
  onToolsChanged(): void;
  /** Called when an extension uses a feature that is not supported. */
  reportUnsupported(extension: Extension, method: string, feature: string): void;
  /** Further members that pi-compatible programs provide: modules, a logger. */
  extras: Readonly<Record<string, unknown>>;
}

export function createExtensionApi(extension: Extension, options: ExtensionApiOptions) {
  return {
    ...createRegistrationMethods(extension, options),
    ...createActionMethods(extension, options),
    ...options.extras,
    events: options.events,
  };
}

function createRegistrationMethods(extension: Extension, options: ExtensionApiOptions) {
  const { handlers, tools, commands, flags, path } = extension;
  const noop = (..._: unknown[]): void => {};
  return {
    /** Returns a function that removes the handler. */
    on: (event: string, handler: ExtensionHandler) => addHandler(handlers, event, handler),
    registerTool(tool: ExtensionTool): void {
      if (!isRecord(tool) || typeof tool.name !== 'string' || typeof tool.execute !== 'function') {
        throw new Fault('invalid_params', `A tool needs a name and an execute function (${path})`);
      }
      tools.set(tool.name, tool);
      options.onToolsChanged();
    },
    registerCommand(name: string, command: ExtensionCommand): void {
      if (typeof command?.handler !== 'function')
        throw new Fault('invalid_params', `The command ${name} has no handler`);
      commands.set(name.replace(/^\//, ''), command);
    },
    registerFlag(name: string, flag: ExtensionFlag = {}): void {
      flags.set(name, flag);
    },
    /** `undefined` for flags that this extension did not register. */
    getFlag(name: string): string | boolean | undefined {
      const flag = flags.get(name);
      return flag && resolveFlagValue(flag, getOwnValue(options.flags, name));
    },
    registerProvider: (name: string, provider: ExtensionProvider) =>
      options.registerProvider(extension, name, provider),
    unregisterProvider(name: string): void {
      extension.providers.delete(name);
      options.unregisterProvider(name);
    },
    // These only matter in a terminal UI.
    registerShortcut: noop,
    registerMessageRenderer: noop,
    registerEntryRenderer: noop,
    registerToolRenderer: noop,
    registerMarkdownTransformer: noop,
    ...createUnsupportedMethods((method, feature) => options.reportUnsupported(extension, method, feature)),
  };
}

function addHandler(handlers: Extension['handlers'], event: string, handler: ExtensionHandler): () => void {
  if (typeof handler !== 'function') throw new Fault('invalid_params', `The handler of ${event} is not a function`);
  handlers.set(event, [...(handlers.get(event) ?? []), handler]);
  return () => {
    const others = (handlers.get(event) ?? []).filter((registered) => registered !== handler);
    if (others.length > 0) handlers.set(event, others);
    else handlers.delete(event);
  };
}

/** An unsupported registration is reported and ignored. The rest of the extension keeps working. */
function createUnsupportedMethods(report: (method: string, feature: string) => void) {
  const unsupported = (method: string, feature: string) => (): void => report(method, feature);
  return {
    registerVirtualModel: unsupported('registerVirtualModel', 'Virtual models'),
    unregisterVirtualModel: (): void => {},
    registerMcpServer: unsupported('registerMcpServer', 'MCP servers'),
    unregisterMcpServer: (): void => {},
    getMcpServers: (): never[] => [],
  };
}

function resolveFlagValue(flag: ExtensionFlag, value: string | boolean | undefined): string | boolean | undefined {
  if (value === undefined) return flag.default;
  if (flag.type === 'boolean') return value !== 'false';
  return typeof value === 'string' ? value : flag.default;
}
