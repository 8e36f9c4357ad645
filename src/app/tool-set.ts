// Loads the tools of an agent with the first prompt, so that a host that only reads the state does not wait for them.
import type { Ports, ResourceLocator, RunShell, SessionGuard, Tool } from '../contracts/index.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import type { SettingValues } from '../settings/index.ts';
import type { LazyMcp } from './lazy-mcp.ts';
import type { ToolSelectionOptions } from './select-tools.ts';

export interface ToolSetOptions extends ToolSelectionOptions {
  settings: ToolSelectionOptions['settings'] & Pick<SettingValues, 'shellPath'>;
  ports: Ports;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  extraTools: readonly Tool[];
  /** Tools of extensions come last, so that they can replace any other tool. */
  extensions: Pick<ExtensionHost, 'tools' | 'loaded' | 'isEmpty'>;
  mcp: Pick<LazyMcp, 'tools'>;
  /** Commands of the host and of verifications run in its sandbox. */
  guard: Pick<SessionGuard, 'getSandbox'>;
  resourceLocator: Pick<ResourceLocator, 'onTrusted'>;
}

export interface ToolSet {
  tools(): Promise<readonly Tool[]>;
  runShell: RunShell;
}

export async function createToolSet(options: ToolSetOptions): Promise<ToolSet> {
  let builtinTools: Promise<readonly Tool[]> | undefined;
  const { extensions, extraTools, mcp, toolNames, excludedTools = [], resourceLocator } = options;
  // Built-in tools are loaded once, and again when the project becomes trusted. Tools of extensions are not cached: they may change.
  resourceLocator.onTrusted(() => {
    builtinTools = undefined;
  });
  const tools = async () => {
    const { loadBuiltinTools, selectTools } = await import('./select-tools.ts');
    // After a failure, for example an agent file that cannot be read, the next prompt tries again.
    builtinTools ??= loadBuiltinTools(options).catch((thrown: unknown) => {
      builtinTools = undefined;
      throw thrown;
    });
    return selectTools(
      [await builtinTools, extraTools, mcp.tools, await extensions.tools()],
      options,
      extensions.isEmpty,
    );
  };
  // An unknown tool name must be reported at start, not with the first prompt.
  if (toolNames && toolNames.length > 0) await tools();
  if (excludedTools.length > 0) {
    const { checkExcludedTools } = await import('./select-tools.ts');
    checkExcludedTools(excludedTools, [extraTools, await extensions.tools()]);
  }
  return {
    tools,
    async runShell(request) {
      const { createRunShell } = await import('../tools/index.ts');
      const { ports, settings, guard } = options;
      return createRunShell({ ports, shellPath: settings.shellPath, getSandbox: guard.getSandbox })(request);
    },
  };
}
