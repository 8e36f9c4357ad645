// The hall, client: every command as a method. The names follow from the declarations' types; nothing here lists them.
import type { CallMethods } from './call.ts';

type Call = (command: string, params?: object) => Promise<unknown>;

/** How a method is spelled. `toJSON` and the like, for which the language itself asks, are none. */
const SPELLING = /^[a-z][a-z0-9]*([A-Z][a-z0-9]+)*$/;

export function createMethods(call: Call): CallMethods {
  const methods = new Map<string, (params?: object) => Promise<unknown>>();
  return new Proxy(Object.create(null), {
    get(_, property) {
      // `then` would make `await client.commands` a call.
      if (typeof property === 'symbol' || property === 'then' || !SPELLING.test(property)) return undefined;
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

function Base(): void {}
Base.prototype = new Proxy(
  {},
  {
    get(target, property, self) {
      if (property in target || !Object.hasOwn(self, 'commands')) return Reflect.get(target, property, self);
      return self.commands[property];
    },
  },
);

/** For a class to extend whose instances have `commands`: each of them becomes a method of the instance itself. */
export const CommandMethods = Base as unknown as new () => CallMethods;
