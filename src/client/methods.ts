// The hall, client: every command as a method. The names follow from the declarations' types; nothing here lists them.
import type { CallMethods } from './call.ts';

type Call = (command: string, params?: object) => Promise<unknown>;

export function createMethods(call: Call): CallMethods {
  const methods = new Map<string, (params?: object) => Promise<unknown>>();
  return new Proxy(Object.create(null), {
    get(_, property) {
      // `then` would make `await client.commands` a call.
      if (typeof property === 'symbol' || property === 'then') return undefined;
      const known = methods.get(property) ?? ((params?: object) => call(commandOf(property), params));
      methods.set(property, known);
      return known;
    },
  }) as CallMethods;
}

/** `setSteeringMode` as `set_steering_mode`. */
function commandOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
