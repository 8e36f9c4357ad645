// The hall: the tools of one agent, loaded when the first prompt needs them: a host that only asks for the state never pays.
import type { Ports, RunShell, Tool } from '../contracts/index.ts';
import type { ExtensionFront } from './extensions/front.ts';
import type { Shelf } from './tool-shelf.ts';

export interface ToolboxOptions extends Shelf {
  ports: Ports;
  shellPath: string | undefined;
  /** Beside the built-in ones. One with the same name takes the built-in's place. */
  added: readonly Tool[];
  /** What extensions add comes after all others, so that it may take any name. */
  extensions: Pick<ExtensionFront, 'tools' | 'loaded' | 'isEmpty'>;
}

export interface Toolbox {
  tools(): Promise<readonly Tool[]>;
  runShell: RunShell;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  let shell: Promise<RunShell> | undefined;
  let own: Promise<readonly Tool[]> | undefined;
  const { extensions, added, toolNames } = options;
  // Ours are loaded once; extensions may come and go.
  const tools = async () => {
    const { ownTools, chosenTools } = await import('./tool-shelf.ts');
    own ??= ownTools(options);
    return chosenTools([await own, added, await extensions.tools()], toolNames, extensions.isEmpty);
  };
  // A name that does not exist is the user's mistake; it must be said at the start, not at the first prompt.
  if (options.toolNames && options.toolNames.length > 0) await tools();
  return {
    tools,
    async runShell(request) {
      shell ??= import('../tools/index.ts').then(({ createRunShell }) => createRunShell(options));
      return (await shell)(request);
    },
  };
}
