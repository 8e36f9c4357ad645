// Exports that extensions may import but that are not supported. They fail when they are used, not when they are imported.
import { Fault } from '../../base/index.ts';

type Callable = new (...args: unknown[]) => unknown;

/** Can be extended, and has any member. Throws the same error whenever it or a member is called or constructed. */
function createUnsupportedExport(name: string, module: string, alternative: string): Callable {
  function Unsupported(): never {
    throw new Fault('refused', `${name} of ${module} is not offered to extensions here. ${alternative}`);
  }
  return new Proxy(Unsupported as unknown as Callable, {
    get: (target, key) => (typeof key === 'symbol' || key in target ? Reflect.get(target, key) : target),
  });
}

/** `names` is keyed by the alternative that the error message suggests. */
export function createUnsupportedExports(
  module: string,
  names: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, Callable>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([alternative, unsupported]) =>
      unsupported.map((name) => [name, createUnsupportedExport(name, module, alternative)]),
    ),
  );
}
