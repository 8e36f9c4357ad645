// The hall: the person's own editor, for words that are too many for a line. Loaded when it is asked for.
import { join } from 'node:path';
import { Fault, messageOf } from '../../base/index.ts';
import { runInForeground } from '../system-ports/foreground.ts';
import type { SystemPorts } from '../system-ports/index.ts';

export interface OutsideEditor {
  readonly ports: Pick<SystemPorts, 'files' | 'toolEnv'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stopped: AbortSignal;
}

/** Nothing that a shell would read as more than words. */
const PLAIN_WORDS = /^[\w./:@+,\s-]+$/;
/** How a shell says that what it ran was killed. */
const BY_SIGNAL = 128;

export async function writtenOutside(text: string, { ports, env, cwd, stopped }: OutsideEditor): Promise<string> {
  const editor = (env.VISUAL || env.EDITOR || '').trim();
  if (editor === '') {
    throw new Fault(
      'config',
      'No editor is named. Set VISUAL or EDITOR and start again, for example EDITOR=nano parley.',
    );
  }
  const { files, toolEnv } = ports;
  const folder = await files.temporaryDirectory('parley-draft-');
  try {
    const path = join(folder, 'message.md');
    await files.write(path, new TextEncoder().encode(text), { mode: 0o600 });
    const request = { ...started(editor, path), cwd, env: toolEnv, signal: stopped };
    const { code, signal } = await runInForeground(request).catch((thrown: unknown) => {
      throw new Fault('tool_failed', `Cannot start ${editor} (from VISUAL or EDITOR): ${messageOf(thrown)}`, {
        cause: thrown,
      });
    });
    if (code !== 0) throw ended(editor, code, signal);
    return new TextDecoder().decode(await files.read(path)).replace(/(?<![\r\n])[\r\n]+$/, '');
  } finally {
    await files.remove(folder, { recursive: true });
  }
}

/** A shell is needed only where the words are more than words, as in `EDITOR='emacsclient -a ""'`. */
function started(editor: string, path: string): { command: string; args: string[] } {
  if (!PLAIN_WORDS.test(editor)) return { command: 'sh', args: ['-c', `${editor} "$@"`, editor, path] };
  const [command = '', ...args] = editor.split(/\s+/);
  return { command, args: [...args, path] };
}

function ended(editor: string, code: number | null, signal: string | null): Fault {
  const isKilled = signal !== null || (code ?? 0) > BY_SIGNAL;
  const how = signal ? `was killed by ${signal}` : `ended with code ${code}`;
  return new Fault(isKilled ? 'aborted' : 'tool_failed', `${editor} ${how}; what you had written is as it was before.`);
}
