// Starts `parley serve` as a program for tests, and reads its address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
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

const FIRST_PORT = 12_000;

/** For a server that is started again at its port: the system gives such a port to no other program that asks for any free one. */
export async function findLastingPort(): Promise<string> {
  const [firstOfSystem] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/).map(Number);
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (Number(firstOfSystem) - FIRST_PORT));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return String(port);
  }
}
