// The hall: what extensions may import and cannot have here. It says so when it is used, not when it is imported.
import { Fault } from '../../../base/index.ts';

type Callable = new (...words: unknown[]) => unknown;

/** Can be called, constructed, extended and asked for members, and says the same sentence each time it would have to act. */
function refusal(name: string, module: string, wayOut: string): Callable {
  function Refused(): never {
    throw new Fault('refused', `${name} of ${module} is not offered to extensions here. ${wayOut}`);
  }
  return new Proxy(Refused as unknown as Callable, {
    get: (target, key) => (typeof key === 'symbol' || key in target ? Reflect.get(target, key) : target),
  });
}

/** By the way out that is left. */
export function refusals(
  module: string,
  names: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, Callable>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([wayOut, refused]) => refused.map((name) => [name, refusal(name, module, wayOut)])),
  );
}
