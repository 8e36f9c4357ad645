// First floor, llm: models.json, the providers and models that the user describes. Looks at the file and reaches nobody.
import { messageOf, ownValue } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { CustomProvider, Described, Description } from './custom-file.ts';
import { watchedFile } from './watched-file.ts';

export interface CustomModels {
  readonly path: string;
  /** As the file is now, and what was added over it. */
  read(): Promise<Described>;
  /** A provider that code describes. What makes no sense is warned about when it is first looked at. */
  add(name: string, description: unknown): void;
  remove(name: string): void;
}

/** How a request to a model differs from what its format does anyway. Values of headers may still be names or commands. */
export interface RequestExtras {
  headers: Readonly<Record<string, string>>;
  compat: Readonly<Record<string, unknown>> | undefined;
  authHeader: boolean;
}

const NOTHING: Described = { providers: new Map(), problems: [] };

export function createCustomModels(
  files: Pick<Files, 'info' | 'read'>,
  directory: string,
  warn: (sentence: string) => void,
): CustomModels {
  const path = `${directory}/models.json`;
  const file = watchedFile(files, path, async (content) => {
    if (content === undefined) return NOTHING;
    const described = await (await import('./custom-file.ts')).readDescribed(content, path);
    described.problems.forEach(warn);
    return described;
  });
  const added = new Map<string, Promise<CustomProvider | undefined>>();
  return {
    path,
    async read() {
      const described = await file.read();
      if (added.size === 0) return described;
      const own = await Promise.all([...added].map(async ([name, entry]) => [name, await entry] as const));
      const sound = own.flatMap(([name, entry]): [string, CustomProvider][] => (entry ? [[name, entry]] : []));
      return { ...described, providers: new Map([...described.providers, ...sound]) };
    },
    add(name, description) {
      const checked = import('./custom-file.ts').then(({ describedByCode }) => describedByCode(name, description));
      added.set(
        name,
        checked.catch((thrown: unknown) => {
          warn(`The provider "${name}" of an extension is ignored: ${messageOf(thrown)}`);
          return undefined;
        }),
      );
    },
    remove: (name) => void added.delete(name),
  };
}

export function extrasFor({ id }: Pick<Model, 'id'>, entry: CustomProvider | undefined): RequestExtras {
  const own: Description = entry?.models?.find((model) => model.id === id) ?? {};
  const changed = ownValue(entry?.modelOverrides ?? {}, id);
  const compats = [entry?.compat, own.compat, changed?.compat].filter((some) => some !== undefined);
  return {
    headers: { ...entry?.headers, ...own.headers, ...changed?.headers },
    compat: compats.length === 0 ? undefined : Object.assign({}, ...compats),
    authHeader: entry?.authHeader === true,
  };
}
