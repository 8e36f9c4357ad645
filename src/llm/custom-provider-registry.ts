// Registry of custom providers from models.json and from extensions. Reads the file, sends no requests.
import { getErrorMessage, getOwnValue } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { createCachedFile } from './cached-file.ts';
import type { CustomProvider, CustomProviders, ModelOverride } from './models-file.ts';

export interface CustomProviderRegistry {
  readonly path: string;
  /** The current contents of the file, merged with the providers added by extensions. */
  read(): Promise<CustomProviders>;
  /** Adds a provider defined by an extension. An invalid description causes a warning and is ignored. */
  add(name: string, description: unknown): void;
  remove(name: string): void;
}

/** Differences of a request from the defaults of its wire format. Header values may be variable names or commands. */
export interface RequestOverrides {
  headers: Readonly<Record<string, string>>;
  compat: Readonly<Record<string, unknown>> | undefined;
  authHeader: boolean;
}

const NO_PROVIDERS: CustomProviders = { providers: new Map(), problems: [] };

export function createCustomProviderRegistry(
  files: Pick<Files, 'info' | 'read'>,
  directory: string,
  warn: (sentence: string) => void,
): CustomProviderRegistry {
  const path = `${directory}/models.json`;
  const file = createCachedFile(files, path, async (content) => {
    if (content === undefined) return NO_PROVIDERS;
    const parsed = await (await import('./models-file.ts')).parseModelsFile(content, path);
    parsed.problems.forEach(warn);
    return parsed;
  });
  const added = new Map<string, Promise<CustomProvider | undefined>>();
  return {
    path,
    async read() {
      const fromFile = await file.read();
      if (added.size === 0) return fromFile;
      const addedProviders = await Promise.all([...added].map(async ([name, entry]) => [name, await entry] as const));
      const validProviders = addedProviders.flatMap(([name, entry]): [string, CustomProvider][] =>
        entry ? [[name, entry]] : [],
      );
      return { ...fromFile, providers: new Map([...fromFile.providers, ...validProviders]) };
    },
    add(name, description) {
      const parsed = import('./models-file.ts').then(({ parseProviderFromCode }) =>
        parseProviderFromCode(name, description),
      );
      added.set(
        name,
        parsed.catch((thrown: unknown) => {
          warn(`The provider "${name}" of an extension is ignored: ${getErrorMessage(thrown)}`);
          return undefined;
        }),
      );
    },
    remove: (name) => void added.delete(name),
  };
}

export function findRequestOverrides({ id }: Pick<Model, 'id'>, entry: CustomProvider | undefined): RequestOverrides {
  const custom: ModelOverride = entry?.models?.find((model) => model.id === id) ?? {};
  const override = getOwnValue(entry?.modelOverrides ?? {}, id);
  const compats = [entry?.compat, custom.compat, override?.compat].filter((compat) => compat !== undefined);
  return {
    headers: { ...entry?.headers, ...custom.headers, ...override?.headers },
    compat: compats.length === 0 ? undefined : Object.assign({}, ...compats),
    authHeader: entry?.authHeader === true,
  };
}
