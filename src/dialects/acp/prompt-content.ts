// Converts the content blocks of a prompt to a message with images and documents.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { array, type InferOutput, literal, nullable, object, optional, string, union, variant } from 'valibot';
import type { UserInput } from '../../contracts/index.ts';
import { createInvalidParamsFault } from './errors.ts';

const contentBlock = variant('type', [
  object({ type: literal('text'), text: string() }),
  object({ type: literal('image'), data: string(), mimeType: string() }),
  object({ type: literal('audio') }),
  object({ type: literal('resource_link'), uri: string(), name: string() }),
  object({
    type: literal('resource'),
    resource: union([
      object({ uri: string(), text: string(), mimeType: optional(nullable(string())) }),
      object({ uri: string(), blob: string(), mimeType: optional(nullable(string())) }),
    ]),
  }),
]);

export const promptContent = array(contentBlock);

type ContentBlock = InferOutput<typeof contentBlock>;
type Resource = Extract<ContentBlock, { type: 'resource' }>['resource'];

/** Documents are attachments, so that a slash command stays at the beginning of the message and the text is the user's own. */
export function toUserInput(blocks: readonly ContentBlock[], cwd: string): Required<Omit<UserInput, 'source'>> {
  const images: { type: 'image'; data: string; mimeType: string }[] = [];
  const attachments: NonNullable<UserInput['attachments']>[number][] = [];
  let message = '';
  let isAfterText = false;
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') message += `${isAfterText ? '\n' : ''}${block.text}`;
    else if (block.type === 'resource_link') message += formatLink(block, cwd);
    else if (block.type === 'image') images.push({ type: 'image', data: block.data, mimeType: block.mimeType });
    else if (block.type === 'audio')
      throw createInvalidParamsFault(`prompt[${index}] is audio, which is not supported`);
    else addResource(block.resource, `prompt[${index}]`, { images, attachments });
    isAfterText = block.type === 'text';
  }
  return { message, images, attachments };
}

/** A file becomes a mention: its content is added to the message. Other resources are named. */
function formatLink({ uri, name }: { uri: string; name: string }, cwd: string): string {
  const path = toFilePath(uri);
  if (path === undefined) return `[${name}](${uri})`;
  const fromCwd = relative(cwd, path);
  const shown = fromCwd === '' || fromCwd.startsWith('..') ? path : fromCwd;
  return /\s/.test(shown) ? `@"${shown}"` : `@${shown}`;
}

/** `undefined` when the URI is not that of a local file. */
function toFilePath(uri: string): string | undefined {
  if (!uri.startsWith('file://')) return undefined;
  try {
    // Editors add the selected lines as a fragment.
    const [path = ''] = uri.split(/[#?]/, 1);
    return fileURLToPath(path);
  } catch {
    return undefined;
  }
}

function addResource(
  resource: Resource,
  field: string,
  { images, attachments }: { images: { type: 'image'; data: string; mimeType: string }[]; attachments: unknown[] },
): void {
  const { uri, mimeType } = resource;
  if ('text' in resource) {
    const { text } = resource;
    if (text.trim() === '') return;
    attachments.push({
      ...{ id: uri, type: 'document', fileName: toFilePath(uri) ?? uri, mimeType: mimeType ?? 'text/plain' },
      ...{ size: Buffer.byteLength(text), content: '', extractedText: text },
    });
    return;
  }
  if (!mimeType?.startsWith('image/'))
    throw createInvalidParamsFault(
      `${field}.resource is binary (${mimeType ?? 'unknown type'}); only text and images are supported`,
    );
  images.push({ type: 'image', data: resource.blob, mimeType });
}
