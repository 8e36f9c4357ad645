// Reads the prompt from command-line arguments, from files named with @ and from stdin.
import { basename } from 'node:path';
import { detectContentKind, Fault, getErrorMessage } from '../../base/index.ts';
import type { Ports, UserInput } from '../../contracts/index.ts';
import type { ImageContent } from '../../protocol/index.ts';
import { splitFileArgument } from './split-file-argument.ts';

/** A pipe without data for this long was probably left open by mistake. */
const STDIN_IDLE_MS = 1500;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

interface ReadInputOptions {
  ports: Ports;
  cwd: string;
  warn: (line: string) => void;
}

export async function readUserInput(
  input: { messages: readonly string[]; files: readonly string[] },
  { ports, cwd, warn }: ReadInputOptions,
): Promise<UserInput> {
  const fileArguments = await Promise.all(input.files.map((text) => splitFileArgument(ports.files, cwd, text)));
  const files = await Promise.all(fileArguments.map(({ path }) => readFileArgument(ports, path)));
  const messages = [...fileArguments.map(({ text }) => text).filter((text) => text !== ''), ...input.messages];
  const piped = await readStdin(ports, messages.length > 0, warn);
  const texts = [piped.trim(), ...files.flatMap((file) => file.text ?? []), messages.join(' ')];
  const images = files.flatMap((file) => file.image ?? []);
  return { message: texts.filter((text) => text !== '').join('\n\n'), ...(images.length > 0 ? { images } : {}) };
}

async function readFileArgument(ports: Ports, path: string): Promise<{ text?: string; image?: ImageContent }> {
  const info = await ports.files.info(path);
  if (info?.kind !== 'file') throw new Fault('config', `File not found: ${path}`);
  if (info.size > MAX_FILE_BYTES) throw new Fault('config', `File is too large to add (${info.size} bytes): ${path}`);
  const bytes = await ports.files.read(path).catch((thrown: unknown) => {
    throw new Fault('config', `File cannot be read: ${path} (${getErrorMessage(thrown)})`);
  });
  const kind = detectContentKind(bytes);
  if (kind.kind === 'binary') throw new Fault('config', `File is binary, not text or an image: ${path}`);
  if (kind.kind === 'image') {
    return {
      text: `<file name="${basename(path)}">(image attached)</file>`,
      image: { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: kind.mimeType },
    };
  }
  return { text: `<file name="${path}">\n${new TextDecoder().decode(bytes)}\n</file>` };
}

/** Reads all of stdin. With a message on the command line, stops waiting for a pipe that sends no data. */
async function readStdin(ports: Ports, hasMessage: boolean, warn: (line: string) => void): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return '';
  const stop = new AbortController();
  if (hasMessage) {
    const cancel = ports.clock.after(STDIN_IDLE_MS, () => {
      warn('stdin is open but sends no data; continuing without it');
      stop.abort();
    });
    stdin.once('data', cancel);
    stdin.once('close', cancel);
    stdin.once('end', cancel);
  }
  const chunks: Buffer[] = [];
  try {
    const { addAbortSignal } = await import('node:stream');
    for await (const chunk of addAbortSignal(stop.signal, stdin)) chunks.push(chunk as Buffer);
  } catch {
    // The read was aborted, or stdin was never open. Use the data received so far.
  }
  return Buffer.concat(chunks).toString('utf8');
}
