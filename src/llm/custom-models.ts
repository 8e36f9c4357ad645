// First floor, llm: models.json, the providers and models that the user describes. Looks at the file and reaches nobody.
import type { Files } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { CustomProvider, Described, Description } from './custom-file.ts';
import { watchedFile } from './watched-file.ts';

export interface CustomModels {
  readonly path: string;
  /** As the file is now. */
  read(): Promise<Described>;
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
  return watchedFile(files, path, async (content) => {
    if (content === undefined) return NOTHING;
    const described = await (await import('./custom-file.ts')).readDescribed(content, path);
    described.problems.forEach(warn);
    return described;
  });
}

export function extrasFor({ id }: Pick<Model, 'id'>, entry: CustomProvider | undefined): RequestExtras {
  const own: Description = entry?.models?.find((model) => model.id === id) ?? {};
  const changed = entry?.modelOverrides?.[id];
  const compats = [entry?.compat, own.compat, changed?.compat].filter((some) => some !== undefined);
  return {
    headers: { ...entry?.headers, ...own.headers, ...changed?.headers },
    compat: compats.length === 0 ? undefined : Object.assign({}, ...compats),
    authHeader: entry?.authHeader === true,
  };
}
