// Edits a text in the user's editor (VISUAL or EDITOR). Loaded on first use.
import { join } from 'node:path';
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { SystemPorts } from '../system-ports/index.ts';
import { runInForeground } from '../system-ports/run-in-foreground.ts';

export interface ExternalEditorOptions {
  readonly ports: Pick<SystemPorts, 'files' | 'toolEnv'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Matches a command without characters that a shell interprets. */
const NEEDS_NO_SHELL = /^[\w./:@+,\s-]+$/;
/** A shell exits with 128 + N when signal N has killed its command. */
const SIGNAL_EXIT_BASE = 128;

export async function editExternally(
  text: string,
  { ports, env, cwd, signal }: ExternalEditorOptions,
): Promise<string> {
  const editor = (env.VISUAL || env.EDITOR || '').trim();
  if (editor === '') {
    throw new Fault(
      'config',
      'No editor is configured. Set VISUAL or EDITOR and restart, for example EDITOR=nano parley.',
    );
  }
  const { files, toolEnv } = ports;
  const folder = await files.makeTemporaryDirectory('parley-draft-');
  try {
    const path = join(folder, 'message.md');
    await files.write(path, new TextEncoder().encode(text), { mode: 0o600 });
    const request = { ...buildEditorCommand(editor, path), cwd, env: toolEnv, signal };
    const { code, signal: killedBy } = await runInForeground(request).catch((thrown: unknown) => {
      throw new Fault('tool_failed', `Cannot start ${editor} (from VISUAL or EDITOR): ${getErrorMessage(thrown)}`, {
        cause: thrown,
      });
    });
    if (code !== 0) throw createExitFault(editor, code, killedBy);
    return new TextDecoder().decode(await files.read(path)).replace(/(?<![\r\n])[\r\n]+$/, '');
  } finally {
    await files.remove(folder, { recursive: true });
  }
}

/** Uses a shell only when the command has quotes or other special characters, as in `EDITOR='emacsclient -a ""'`. */
function buildEditorCommand(editor: string, path: string): { command: string; args: string[] } {
  if (!NEEDS_NO_SHELL.test(editor)) return { command: 'sh', args: ['-c', `${editor} "$@"`, editor, path] };
  const [command = '', ...args] = editor.split(/\s+/);
  return { command, args: [...args, path] };
}

function createExitFault(editor: string, code: number | null, signal: string | null): Fault {
  const isKilled = signal !== null || (code ?? 0) > SIGNAL_EXIT_BASE;
  const outcome = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  return new Fault(isKilled ? 'aborted' : 'tool_failed', `${editor} ${outcome}; your text was not changed.`);
}
