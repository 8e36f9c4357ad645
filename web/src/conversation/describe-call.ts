// Describes a tool call by its arguments. Works for every tool, also for unknown ones. Pure.
import type { IconName } from '../parts/icon-paths.ts';

export interface CallDescription {
  /** The command, the path, the pattern: the first argument that is a text. */
  readonly subject: string;
  readonly icon: IconName;
  /** The path of the file that the call is about. */
  readonly path: string | undefined;
}

const PATH_KEYS: readonly string[] = ['path', 'file', 'file_path', 'filePath'];

export function describeCall(name: string, args: Readonly<Record<string, unknown>>): CallDescription {
  const path = findText(args, PATH_KEYS);
  const command = findText(args, ['command']);
  const main = command ?? countTasks(args.tasks) ?? findText(args, ['pattern', 'query', 'url', 'description']);
  const subject = (main ?? path ?? findFirstText(args) ?? '').trim();
  return { subject: subject.split('\n', 1)[0] ?? '', icon: chooseIcon(name, command, path), path };
}

function findText(args: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = args[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

function findFirstText(args: Readonly<Record<string, unknown>>): string | undefined {
  const found = Object.values(args).find((value) => typeof value === 'string' && value.trim() !== '');
  return found as string | undefined;
}

function countTasks(tasks: unknown): string | undefined {
  if (!Array.isArray(tasks)) return undefined;
  return tasks.length === 1 ? '1 task' : `${tasks.length} tasks`;
}

function chooseIcon(name: string, command: string | undefined, path: string | undefined): IconName {
  if (command !== undefined) return 'terminal';
  if (name === 'edit' || name === 'write') return 'edit';
  if (name.includes('todo')) return 'todo';
  if (name === 'task') return 'agents';
  if (['grep', 'find', 'ls'].includes(name)) return 'search';
  return path === undefined ? 'wrench' : 'file';
}

/** The text of a result. */
export function readOutput(content: readonly unknown[] | undefined): string {
  return (content ?? [])
    .map((block) => {
      const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
      return type === 'text' && typeof text === 'string' ? text : '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

export interface Picture {
  readonly src: string;
  readonly label: string;
}

const IMAGE_TYPES: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
];

/** The images of a message or a result. Images of other servers have only their address. */
export function listPictures(content: unknown): Picture[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): Picture[] => {
    if (block?.type !== 'image') return [];
    const { data, mimeType, source } = block as { data?: unknown; mimeType?: unknown; source?: { url?: unknown } };
    if (typeof data === 'string' && typeof mimeType === 'string' && IMAGE_TYPES.includes(mimeType)) {
      return [{ src: `data:${mimeType};base64,${data}`, label: mimeType }];
    }
    return typeof source?.url === 'string' ? [{ src: '', label: source.url }] : [];
  });
}
