// The hall: what the person said: words of the command line, files named with @, and whatever was piped in.
import { basename, resolve } from 'node:path';
import { contentKind, Fault, messageOf } from '../../base/index.ts';
import type { Ports, UserInput } from '../../contracts/index.ts';
import type { ImageContent } from '../../protocol/index.ts';

/** A pipe that says nothing for this long is one that somebody forgot to close. */
const SILENCE_MS = 1500;
const MOST_BYTES = 10 * 1024 * 1024;

interface Surroundings {
  ports: Ports;
  cwd: string;
  warn: (line: string) => void;
}

export async function gatherInput(
  given: { messages: readonly string[]; files: readonly string[] },
  { ports, cwd, warn }: Surroundings,
): Promise<UserInput> {
  const files = await Promise.all(given.files.map((path) => readGiven(ports, resolve(cwd, path))));
  const piped = await readPiped(ports, given.messages.length > 0, warn);
  const texts = [piped.trim(), ...files.flatMap((file) => file.text ?? []), given.messages.join(' ')];
  const images = files.flatMap((file) => file.image ?? []);
  return { message: texts.filter((text) => text !== '').join('\n\n'), ...(images.length > 0 ? { images } : {}) };
}

async function readGiven(ports: Ports, path: string): Promise<{ text?: string; image?: ImageContent }> {
  const info = await ports.files.info(path);
  if (info?.kind !== 'file') throw new Fault('config', `File not found: ${path}`);
  if (info.size > MOST_BYTES) throw new Fault('config', `File is too large to add (${info.size} bytes): ${path}`);
  const bytes = await ports.files.read(path).catch((thrown: unknown) => {
    throw new Fault('config', `File cannot be read: ${path} (${messageOf(thrown)})`);
  });
  const kind = contentKind(bytes);
  if (kind.kind === 'binary') throw new Fault('config', `File is binary, not text or an image: ${path}`);
  if (kind.kind === 'image') {
    return {
      text: `<file name="${basename(path)}">(an image, attached)</file>`,
      image: { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: kind.mimeType },
    };
  }
  return { text: `<file name="${path}">\n${new TextDecoder().decode(bytes)}\n</file>` };
}

/** Everything that was piped in. With a message on the command line a silent pipe is not waited for. */
async function readPiped(ports: Ports, hasMessage: boolean, warn: (line: string) => void): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return '';
  const stop = new AbortController();
  if (hasMessage) {
    const cancel = ports.clock.after(SILENCE_MS, () => {
      warn('stdin is open but silent; going on without it');
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
    // Abandoned, or never open: what came so far counts.
  }
  return Buffer.concat(chunks).toString('utf8');
}
