// Offers every command as a method. The method names follow from the types of the declared commands; they are not listed here.
import type { CallMethods } from './call-types.ts';

type SendCall = (command: string, params?: object) => Promise<unknown>;

/** Spelling of a method name. Excludes names such as `toJSON` that the runtime looks up itself. */
const METHOD_NAME = /^[a-z][a-z0-9]*([A-Z][a-z0-9]+)*$/;

export function createCallMethods(call: SendCall): CallMethods {
  const methods = new Map<string, (params?: object) => Promise<unknown>>();
  return new Proxy(Object.create(null), {
    get(_, property) {
      // `then` would make `await client.commands` a call.
      if (typeof property === 'symbol' || property === 'then' || !METHOD_NAME.test(property)) return undefined;
      const method = methods.get(property) ?? ((params?: object) => call(toCommandName(property), params));
      methods.set(property, method);
      return method;
    },
  }) as CallMethods;
}

/** Converts `setSteeringMode` to `set_steering_mode`. */
function toCommandName(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function CallMethodsConstructor(): void {}
CallMethodsConstructor.prototype = new Proxy(
  {},
  {
    get(target, property, self) {
      if (property in target || !Object.hasOwn(self, 'commands')) return Reflect.get(target, property, self);
      return self.commands[property];
    },
  },
);

/** Base class that adds each method of `this.commands` to the instance itself. */
export const CallMethodsBase = CallMethodsConstructor as unknown as new () => CallMethods;
