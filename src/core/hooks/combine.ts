// First floor, core: several who may object, asked one after another as if they were one. Knows none of them.
import type { BranchVerdict, CallVerdict, Hooks, MoveVerdict, RunPreparation } from '../../contracts/index.ts';

type Asked = 'input' | 'beforeRun' | 'context' | 'beforeRequest' | 'toolCall' | 'toolResult';
type Objecting = 'shell' | 'beforeSwitch' | 'beforeBranch' | 'beforeCompact' | 'beforeMove';
type HookOf<K extends keyof Hooks> = NonNullable<Hooks[K]>;

/** Looked at anew every time, because hooks come and go. Where nobody is there, nothing is. */
export function combineHooks(sources: readonly Hooks[]): Hooks {
  const [only] = sources;
  if (sources.length <= 1) return only ?? {};
  const of = <K extends keyof Hooks>(name: K): HookOf<K>[] =>
    sources.flatMap((source) => (source[name] ? [source[name] as HookOf<K>] : []));
  /** One needs no company; several are put together by `chain`. */
  const join = <K extends Asked | Objecting>(name: K, chain: (hooks: HookOf<K>[]) => HookOf<K>): Hooks[K] => {
    const hooks = of(name);
    return hooks.length <= 1 ? hooks[0] : chain(hooks);
  };
  return {
    get input() {
      return join('input', chainInput);
    },
    get commands() {
      const hooks = of('commands');
      if (hooks.length <= 1) return hooks[0];
      return async () => (await Promise.all(hooks.map((hook) => hook()))).flat();
    },
    get beforeRun() {
      return join('beforeRun', chainRun);
    },
    get context() {
      return join('context', chainValue);
    },
    get beforeRequest() {
      return join('beforeRequest', chainValue);
    },
    get toolCall() {
      return join('toolCall', chainCall);
    },
    get toolResult() {
      return join('toolResult', chainResult);
    },
    get shell() {
      return join('shell', firstVerdict);
    },
    get beforeSwitch() {
      return join('beforeSwitch', firstObjection);
    },
    get beforeBranch() {
      return join('beforeBranch', chainBranch);
    },
    get beforeCompact() {
      return join('beforeCompact', firstVerdict);
    },
    get beforeMove() {
      return join('beforeMove', chainMove);
    },
    get observe() {
      const hooks = of('observe');
      if (hooks.length <= 1) return hooks[0];
      const told: HookOf<'observe'> = async (happening) => {
        for (const hook of hooks) await hook(happening);
      };
      return told;
    },
  };
}

/** Each sees the words as those before it left them; who deals with them itself is the last. */
function chainInput(hooks: HookOf<'input'>[]): HookOf<'input'> {
  return async (said) => {
    let now = said;
    for (const hook of hooks) {
      const verdict = await hook(now);
      if (verdict && 'handled' in verdict) return verdict;
      if (verdict) now = { ...now, text: verdict.text, images: verdict.images ?? now.images };
    }
    return now === said ? undefined : { text: now.text, images: now.images };
  };
}

function chainRun(hooks: HookOf<'beforeRun'>[]): HookOf<'beforeRun'> {
  return async (opening) => {
    let sum: RunPreparation = {};
    for (const hook of hooks) {
      const now = await hook({ ...opening, systemPrompt: sum.systemPrompt ?? opening.systemPrompt });
      sum = { ...sum, ...now, messages: [...(sum.messages ?? []), ...(now?.messages ?? [])] };
    }
    return sum;
  };
}

function chainValue<V>(hooks: ((value: V) => Promise<V | undefined>)[]): (value: V) => Promise<V | undefined> {
  return async (value) => {
    let now = value;
    for (const hook of hooks) now = (await hook(now)) ?? now;
    return now;
  };
}

function chainCall(hooks: HookOf<'toolCall'>[]): HookOf<'toolCall'> {
  return async (planned) => {
    let changed: CallVerdict | undefined;
    for (const hook of hooks) {
      const verdict = await hook({ ...planned, ...changed });
      if (verdict && 'block' in verdict) return verdict;
      changed = verdict ?? changed;
    }
    return changed;
  };
}

function chainResult(hooks: HookOf<'toolResult'>[]): HookOf<'toolResult'> {
  return async (finished) => {
    let changes: Awaited<ReturnType<HookOf<'toolResult'>>>;
    for (const hook of hooks) changes = { ...changes, ...(await hook({ ...finished, ...changes })) };
    return changes;
  };
}

function firstObjection<In>(
  hooks: ((about: In) => Promise<{ readonly cancel: boolean } | undefined>)[],
): (about: In) => Promise<{ readonly cancel: boolean } | undefined> {
  return async (about) => {
    for (const hook of hooks) if ((await hook(about))?.cancel) return { cancel: true };
    return undefined;
  };
}

function chainBranch(hooks: HookOf<'beforeBranch'>[]): HookOf<'beforeBranch'> {
  return async (about) => {
    let sum: BranchVerdict = { cancel: false };
    for (const hook of hooks) {
      sum = { ...sum, ...(await hook(about)) };
      if (sum.cancel) break;
    }
    return sum;
  };
}

function firstVerdict<In, Out>(
  hooks: ((about: In) => Promise<Out | undefined>)[],
): (about: In) => Promise<Out | undefined> {
  return async (about) => {
    for (const hook of hooks) {
      const verdict = await hook(about);
      if (verdict) return verdict;
    }
    return undefined;
  };
}

function chainMove(hooks: HookOf<'beforeMove'>[]): HookOf<'beforeMove'> {
  return async (planned) => {
    let sum: MoveVerdict = {};
    for (const hook of hooks) {
      sum = { ...sum, ...(await hook(planned)) };
      if (sum.cancel) break;
    }
    return sum;
  };
}
