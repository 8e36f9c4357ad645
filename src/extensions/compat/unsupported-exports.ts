// Exports that extensions may import but that are not supported. They fail when they are used, not when they are imported.
import { Fault } from '../../base/index.ts';

type Callable = new (...args: unknown[]) => unknown;

/** Names, by the alternative that the error message suggests. */
export type UnsupportedNames = Readonly<Record<string, readonly string[]>>;

/** Asked for by the language and by loaders. They must not exist. */
const ABSENT_NAMES = new Set(['then', 'default', '__esModule', 'toJSON', 'module.exports']);

/**
 * A module in which every name exists: pi and oh-my-pi export many names, and each version others. A name that is not in
 * `exports` can be imported and extended, and throws an error that names it when it is used.
 */
export function provideExports(
  module: string,
  exports: Readonly<Record<string, unknown>>,
  unsupported: UnsupportedNames,
): Record<string, unknown> {
  const alternatives = new Map(
    Object.entries(unsupported).flatMap(([alternative, names]) => names.map((name) => [name, alternative] as const)),
  );
  const created = new Map<string, Callable>();
  const provide = (name: string): Callable => {
    const value = created.get(name) ?? createUnsupportedExport(name, module, alternatives.get(name));
    created.set(name, value);
    return value;
  };
  const isProvided = (key: string | symbol): key is string =>
    typeof key === 'string' && !ABSENT_NAMES.has(key) && !(key in exports);
  return new Proxy(
    { ...exports },
    {
      has: (target, key) => isProvided(key) || key in target,
      get: (target, key) => (isProvided(key) ? provide(key) : Reflect.get(target, key)),
    },
  );
}

/** Can be extended, and has any member. Throws the same error whenever it or a member is called, constructed or read as a text. */
function createUnsupportedExport(name: string, module: string, alternative: string | undefined): Callable {
  function Unsupported(): never {
    throw new Fault('refused', [`Parley does not provide ${name} of ${module}.`, alternative].join(' ').trim());
  }
  return new Proxy(Unsupported as unknown as Callable, {
    get(target, key) {
      if (key === Symbol.toPrimitive || key === Symbol.iterator || key === Symbol.asyncIterator) return target;
      return typeof key === 'symbol' || key in target ? Reflect.get(target, key) : target;
    },
  });
}
