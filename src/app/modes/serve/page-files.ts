// Reads the files of the web page, which are beside the program.
import { dirname, extname, join } from 'node:path';
import type { Files } from '../../../contracts/index.ts';
import type { PageFile } from '../../../http/index.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};

/** No path leads out of the directory. */
const VALID_PATH = /^(?:assets\/)?[\w-][\w.-]*$/;

export class PageFiles {
  readonly #files: Files;
  readonly #program: string;
  readonly #read = new Map<string, Promise<PageFile | undefined>>();

  /** `program` is the path of the running program. */
  constructor(files: Files, program: string) {
    this.#files = files;
    this.#program = program;
  }

  /** `undefined` when there is no such file. Each file is read once. */
  read(path: string): Promise<PageFile | undefined> {
    const contentType = CONTENT_TYPES[extname(path)];
    if (!VALID_PATH.test(path) || contentType === undefined) return Promise.resolve(undefined);
    const reading = this.#read.get(path) ?? this.#readFile(path, contentType);
    this.#read.set(path, reading);
    // A failure may be temporary.
    reading.catch(() => this.#read.delete(path));
    return reading;
  }

  async #readFile(path: string, contentType: string): Promise<PageFile | undefined> {
    const file =
      (await this.#findFile(dirname(this.#program), path)) ??
      // Started through a link, the program is elsewhere.
      (await this.#findFile(dirname(await this.#files.realPath(this.#program)), path));
    if (file !== undefined)
      return { bytes: await this.#files.read(file), contentType, isImmutable: path.startsWith('assets/') };
    this.#read.delete(path);
    return undefined;
  }

  async #findFile(folder: string, path: string): Promise<string | undefined> {
    for (const directory of [join(folder, 'web'), join(folder, '..', 'web'), join(folder, '..', 'dist', 'web')]) {
      const file = join(directory, path);
      if ((await this.#files.info(file))?.kind === 'file') return file;
    }
    return undefined;
  }
}
