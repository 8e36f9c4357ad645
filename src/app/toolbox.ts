// The hall: the tools of one agent, loaded when the first prompt needs them: a host that only asks for the state never pays.
import type { Places, Ports, RunShell, Tool } from '../contracts/index.ts';
import type { ExtensionFront } from './extensions/front.ts';
import type { SettingValues } from './settings-table.ts';
import type { Shelf } from './tool-shelf.ts';

export interface ToolboxOptions extends Shelf {
  settings: Shelf['settings'] & Pick<SettingValues, 'shellPath'>;
  ports: Ports;
  /** Beside the built-in ones. One with the same name takes the built-in's place. */
  added: readonly Tool[];
  /** What extensions add comes after all others, so that it may take any name. */
  extensions: Pick<ExtensionFront, 'tools' | 'loaded' | 'isEmpty'>;
  places: Pick<Places, 'onTrust'>;
}

export interface Toolbox {
  tools(): Promise<readonly Tool[]>;
  runShell: RunShell;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  let own: Promise<readonly Tool[]> | undefined;
  const { extensions, added, toolNames, excludedTools = [], places } = options;
  // Ours are loaded once, and again for a project that is trusted later; extensions may come and go.
  places.onTrust(() => {
    own = undefined;
  });
  const tools = async () => {
    const { ownTools, chosenTools } = await import('./tool-shelf.ts');
    own ??= ownTools(options);
    return chosenTools([await own, added, await extensions.tools()], options, extensions.isEmpty);
  };
  // A name that does not exist is the user's mistake; it must be said at the start, not at the first prompt.
  if (toolNames && toolNames.length > 0) await tools();
  if (excludedTools.length > 0) {
    const { checkExcluded } = await import('./tool-shelf.ts');
    checkExcluded(excludedTools, [added, await extensions.tools()]);
  }
  return {
    tools,
    async runShell(request) {
      const { createRunShell } = await import('../tools/index.ts');
      return createRunShell({ ports: options.ports, shellPath: options.settings.shellPath })(request);
    },
  };
}
