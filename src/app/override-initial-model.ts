// A model registry with another initial model.
import type { ModelRegistry } from '../contracts/index.ts';

/** Only `chooseInitial` is replaced. Other members are called on the registry itself, because it may have private fields. */
export function overrideInitialModel(
  modelRegistry: ModelRegistry,
  chooseInitial: ModelRegistry['chooseInitial'],
): ModelRegistry {
  return new Proxy(modelRegistry, {
    get(target, key) {
      if (key === 'chooseInitial') return chooseInitial;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
