// Starts `parley serve` as a program for tests, and reads its address.
import {
  createDirectories,
  type Program,
  type ProgramDirectories,
  type ProgramOptions,
  startProgram,
} from './program.ts';

export interface ServeProgram {
  readonly program: Program;
  readonly directories: ProgramDirectories;
  /** Without the token. */
  readonly url: string;
  readonly token: string;
  readonly port: string;
}

export async function startServeProgram({
  directories = createDirectories(),
  port = '0',
  args = [],
  ...options
}: ProgramOptions & { port?: string; args?: readonly string[] } = {}): Promise<ServeProgram> {
  const offline = ['--provider', 'parley', '--model', 'offline'];
  const program = startProgram(['serve', '--port', port, '--json', ...offline, ...args], { ...options, directories });
  // The address is not a frame: it has no type.
  const { text } = await program.nextFrame({ type: 'unreadable' });
  const { url, token } = JSON.parse(String(text)) as { url: string; token: string };
  return { program, directories, url, token, port: new URL(url).port };
}
