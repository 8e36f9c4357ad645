// Converts content of MCP (results of tools, resources, prompts) to text and images.
import { parseBase64Image } from '../base/base64-image.ts';
import { isRecord } from '../base/index.ts';
import type { McpContent } from '../contracts/index.ts';
import type { ImageContent } from '../protocol/index.ts';
import { formatSize } from '../support/truncation.ts';
import { formatResourceUri } from './resource-uri.ts';

/** Providers reject images above 5 MB in base64. */
const MAX_IMAGE_LENGTH = 4.5 * 1024 * 1024;
const MAX_IMAGES = 20;

/** Saves bytes that are neither text nor an image, and returns the path. */
export type SaveBytes = (bytes: Uint8Array, mimeType: string) => Promise<string | undefined>;

export class ContentConverter {
  readonly #server: string;
  readonly #save: SaveBytes;
  readonly texts: string[] = [];
  readonly images: ImageContent[] = [];

  constructor(server: string, save: SaveBytes = async () => undefined) {
    this.#server = server;
    this.#save = save;
  }

  get content(): McpContent {
    return { text: this.texts.join('\n\n'), images: this.images };
  }

  /** One block of the content of a result or of a prompt. */
  async addBlock(block: unknown): Promise<void> {
    if (!isRecord(block)) return;
    const { type, text, data } = block;
    const mimeType = getMimeType(block);
    if (type === 'text' && typeof text === 'string') this.#addText(text);
    else if (type === 'image' && typeof data === 'string') this.#addImage(data);
    else if (type === 'audio' && typeof data === 'string') await this.#addBytes('Audio', data, mimeType);
    else if (type === 'resource_link') this.#addLink(block);
    else if (type === 'resource') await this.addResource(block.resource, { shouldNameUri: true });
    else this.texts.push(`[Content of type ${JSON.stringify(type)} is left out]`);
  }

  /** The contents of a resource: text or base64. */
  async addResource(resource: unknown, { shouldNameUri = false } = {}): Promise<void> {
    if (!isRecord(resource)) return;
    const { uri, text, blob } = resource;
    if (typeof text === 'string') {
      this.#addText(shouldNameUri && typeof uri === 'string' ? `[Resource ${uri}]\n${text}` : text);
    } else if (typeof blob === 'string') {
      const mimeType = getMimeType(resource);
      if (mimeType.startsWith('image/') && !('problem' in parseBase64Image(blob))) this.#addImage(blob);
      else await this.#addBytes(`Resource ${String(uri)}`, blob, mimeType);
    }
  }

  #addText(text: string): void {
    if (text !== '') this.texts.push(text.toWellFormed());
  }

  #addImage(data: string): void {
    const image = data.length > MAX_IMAGE_LENGTH ? { problem: describeTooLarge(data) } : parseBase64Image(data);
    if ('problem' in image) this.texts.push(`[An image is left out: it ${image.problem}]`);
    else if (this.images.length >= MAX_IMAGES) this.texts.push(`[An image is left out: there are over ${MAX_IMAGES}]`);
    else this.images.push({ type: 'image', ...image });
  }

  async #addBytes(what: string, data: string, mimeType: string): Promise<void> {
    const bytes = Buffer.from(data, 'base64');
    const path = bytes.length === 0 ? undefined : await this.#save(bytes, mimeType);
    const size = `${mimeType}, ${formatSize(bytes.length)}`;
    this.texts.push(path === undefined ? `[${what}: ${size}, not shown]` : `[${what}: ${size}, saved to ${path}]`);
  }

  #addLink(link: Readonly<Record<string, unknown>>): void {
    const { uri, name, description } = link;
    if (typeof uri !== 'string') return;
    const title = typeof name === 'string' ? `${name} ` : '';
    const note = typeof description === 'string' ? `: ${description}` : '';
    this.texts.push(`[Resource ${title}${formatResourceUri(this.#server, uri)}${note}]`);
  }
}

function getMimeType({ mimeType }: Readonly<Record<string, unknown>>): string {
  return typeof mimeType === 'string' && mimeType.length <= 100 ? mimeType : 'application/octet-stream';
}

function describeTooLarge(data: string): string {
  return `has ${formatSize(data.length)} in base64, and the limit is ${formatSize(MAX_IMAGE_LENGTH)}`;
}
