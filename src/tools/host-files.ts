// Text files through the host's editor, so that unsaved changes count. What the host cannot do is done with our own files.
import { detectContentKind, Fault } from '../base/index.ts';
import type { HostServices, ToolContext } from '../contracts/index.ts';
import type { ResolvedPath } from './resolve-path.ts';
import { throwIfAborted } from './result.ts';

type HostContext = Pick<ToolContext, 'ports' | 'signal' | 'hostServices'>;
type Target = Pick<ResolvedPath, 'absolute' | 'real' | 'info'>;

/** In bytes. Larger files are read and written without the host. */
const MAX_HOST_FILE_BYTES = 4 * 1024 * 1024;
const ANSWER_LIMIT_MS = 4000;
/** A host that did not answer in time is not used for this long, so that not every call waits. */
const PAUSE_MS = 60_000;
const BOM = '\ufeff';

const UNSUITABLE = Symbol('no text file for the host');

/** When the hosts that did not answer are used again, in milliseconds since 1970. */
const pausedUntil = new WeakMap<HostServices, number>();

export interface HostText {
  /** The text in the editor, with the BOM and the line endings of the file on disk. */
  readonly text: string;
  /** Editors may remove the BOM and convert line endings when they open a file. They get the text back in this form. */
  toHostForm(text: string): string;
}

/** `undefined` when the file on disk counts: it is no text or too large, or the host cannot read it. */
export async function readHostText(target: Target, context: HostContext): Promise<HostText | undefined> {
  const readText = context.hostServices?.files?.readText;
  if (!readText) return undefined;
  const saved = await readSavedText(target, context);
  if (saved === UNSUITABLE) return undefined;
  const path = await choosePath(target, context);
  const hostText = await askHost(context, ANSWER_LIMIT_MS, (signal) => readText(path, signal));
  if (hostText === undefined || hostText.length > MAX_HOST_FILE_BYTES) return undefined;
  if (saved !== undefined) return createHostText(saved, hostText);
  // Some editors return an empty text for a file that does not exist.
  return hostText === '' ? undefined : { text: hostText, toHostForm: (text) => text };
}

/** Returns false when the caller has to write the file: the host cannot write it, or has failed. */
export async function writeHostText(target: Target, text: string, context: HostContext): Promise<boolean> {
  const writeText = context.hostServices?.files?.writeText;
  if (!writeText || text.length > MAX_HOST_FILE_BYTES) return false;
  if ((await readSavedText(target, context)) === UNSUITABLE) return false;
  const path = await choosePath(target, context);
  // Without a limit: the host may ask the user.
  const isWritten = await askHost(context, undefined, async (signal) => {
    await writeText(path, text, signal);
    return true;
  });
  return isWritten ?? false;
}

/** `undefined` when the file does not exist; UNSUITABLE when it is not a text file for the host. */
async function readSavedText(
  { real, info }: Target,
  { ports }: HostContext,
): Promise<string | typeof UNSUITABLE | undefined> {
  if (!info) return undefined;
  if (info.kind !== 'file' || info.size > MAX_HOST_FILE_BYTES) return UNSUITABLE;
  try {
    // The size of files in /proc is 0.
    const bytes = await ports.files.read(real, { start: 0, length: MAX_HOST_FILE_BYTES + 1 });
    if (bytes.length > MAX_HOST_FILE_BYTES || detectContentKind(bytes).kind !== 'text') return UNSUITABLE;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return UNSUITABLE;
  }
}

/** Hosts know a file by the path without resolved links, but that path may name another file after `link/..`. */
async function choosePath({ absolute, real }: Target, { ports }: HostContext): Promise<string> {
  return (await ports.files.realPath(absolute).catch(() => real)) === real ? absolute : real;
}

/** `undefined` when the host fails or does not answer in time. Throws after an abort, and when the user does not allow it. */
async function askHost<T>(
  { ports, signal, hostServices }: HostContext,
  limitMs: number | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  throwIfAborted(signal);
  const { clock } = ports;
  if (!hostServices || (pausedUntil.get(hostServices) ?? 0) > clock.now()) return undefined;
  const limit = new AbortController();
  const stopWaiting = () => {
    pausedUntil.set(hostServices, clock.now() + PAUSE_MS);
    limit.abort();
  };
  const cancel = limitMs === undefined ? () => {} : clock.after(limitMs, stopWaiting);
  const abort = () => limit.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await ask(limit.signal);
  } catch (thrown) {
    throwIfAborted(signal);
    if (thrown instanceof Fault && thrown.code === 'refused') throw thrown;
    return undefined;
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

/** Without unsaved changes the text is exactly that of the file, also when its line endings are mixed. */
function createHostText(saved: string, hostText: string): HostText {
  const isBomRemoved = saved.startsWith(BOM) && !hostText.startsWith(BOM);
  const isCrRemoved = saved.includes('\r\n') && !hostText.includes('\r\n');
  const toHostForm = (text: string) => {
    const withoutBom = isBomRemoved && text.startsWith(BOM) ? text.slice(BOM.length) : text;
    return isCrRemoved ? withoutBom.replaceAll('\r\n', '\n') : withoutBom;
  };
  if (toHostForm(saved) === hostText) return { text: saved, toHostForm };
  const isCrLfOnly = isCrRemoved && !/(^|[^\r])\n/.test(saved);
  const converted = isCrLfOnly ? hostText.replaceAll('\n', '\r\n') : hostText;
  return { text: isBomRemoved ? BOM + converted : converted, toHostForm };
}
