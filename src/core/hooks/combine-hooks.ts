// Combines the hooks of several sources into one Hooks object. Hooks run one after another, in source order.
import type {
  BranchHookResult,
  Hooks,
  MoveHookResult,
  RunHookResult,
  ToolCallHookResult,
} from '../../contracts/index.ts';

type HookName = keyof Hooks;
type HookOf<K extends HookName> = NonNullable<Hooks[K]>;
type HookChains = { readonly [K in HookName]: (hooks: HookOf<K>[]) => HookOf<K> };

/** How several hooks of the same name are combined. */
const HOOK_CHAINS: HookChains = {
  input: chainInputHooks,
  listSlashCommands: chainSlashCommandHooks,
  beforeAccept: chainUntilResult,
  beforeRun: chainBeforeRunHooks,
  context: chainTransformHooks,
  planRequest: chainTransformHooks,
  requestHeaders: chainTransformHooks,
  onResponse: chainUntilResult,
  beforeRequest: chainTransformHooks,
  toolCall: chainToolCallHooks,
  toolResult: chainToolResultHooks,
  shell: chainUntilResult,
  beforeSwitch: chainUntilCancelled,
  beforeBranch: chainBranchHooks,
  beforeCompact: chainUntilResult,
  beforeMove: chainMoveHooks,
  beforeSettle: chainUntilResult,
  onLifecycleEvent: chainLifecycleHooks,
};

/** Every hook is looked up at each access, because sources add and remove hooks. Undefined if no source defines the hook. */
export function combineHooks(sources: readonly Hooks[]): Hooks {
  const [only] = sources;
  if (sources.length <= 1) return only ?? {};
  const combined: Hooks = {};
  for (const name of Object.keys(HOOK_CHAINS) as HookName[])
    Object.defineProperty(combined, name, { get: () => combineHook(sources, name), enumerable: true });
  return combined;
}

/** Returns a single hook as it is. */
function combineHook<K extends HookName>(sources: readonly Hooks[], name: K): HookOf<K> | undefined {
  const hooks = sources.flatMap((source) => (source[name] ? [source[name] as HookOf<K>] : []));
  return hooks.length <= 1 ? hooks[0] : HOOK_CHAINS[name](hooks);
}

/** Each hook receives the input as the previous hooks changed it. The chain stops at a hook that handles the input itself. */
function chainInputHooks(hooks: HookOf<'input'>[]): HookOf<'input'> {
  return async (input) => {
    let current = input;
    for (const hook of hooks) {
      const result = await hook(current);
      if (result && 'handled' in result) return result;
      if (result) current = { ...current, text: result.text, images: result.images ?? current.images };
    }
    return current === input ? undefined : { text: current.text, images: current.images };
  };
}

function chainSlashCommandHooks(hooks: HookOf<'listSlashCommands'>[]): HookOf<'listSlashCommands'> {
  return async () => (await Promise.all(hooks.map((hook) => hook()))).flat();
}

function chainBeforeRunHooks(hooks: HookOf<'beforeRun'>[]): HookOf<'beforeRun'> {
  return async (runInput) => {
    let merged: RunHookResult = {};
    for (const hook of hooks) {
      const result = await hook({ ...runInput, systemPrompt: merged.systemPrompt ?? runInput.systemPrompt });
      merged = { ...merged, ...result, messages: [...(merged.messages ?? []), ...(result?.messages ?? [])] };
    }
    return merged;
  };
}

function chainTransformHooks<V>(hooks: ((value: V) => Promise<V | undefined>)[]): (value: V) => Promise<V | undefined> {
  return async (value) => {
    let current = value;
    for (const hook of hooks) current = (await hook(current)) ?? current;
    return current;
  };
}

function chainToolCallHooks(hooks: HookOf<'toolCall'>[]): HookOf<'toolCall'> {
  return async (call) => {
    let changed: ToolCallHookResult | undefined;
    for (const hook of hooks) {
      const result = await hook({ ...call, ...changed });
      if (result && 'block' in result) return result;
      changed = result ?? changed;
    }
    return changed;
  };
}

function chainToolResultHooks(hooks: HookOf<'toolResult'>[]): HookOf<'toolResult'> {
  return async (call) => {
    let changes: Awaited<ReturnType<HookOf<'toolResult'>>>;
    for (const hook of hooks) changes = { ...changes, ...(await hook({ ...call, ...changes })) };
    return changes;
  };
}

function chainUntilCancelled<In>(
  hooks: ((input: In) => Promise<{ readonly cancel: boolean } | undefined>)[],
): (input: In) => Promise<{ readonly cancel: boolean } | undefined> {
  return async (input) => {
    for (const hook of hooks) if ((await hook(input))?.cancel) return { cancel: true };
    return undefined;
  };
}

function chainBranchHooks(hooks: HookOf<'beforeBranch'>[]): HookOf<'beforeBranch'> {
  return async (input) => {
    let merged: BranchHookResult = { cancel: false };
    for (const hook of hooks) {
      merged = { ...merged, ...(await hook(input)) };
      if (merged.cancel) break;
    }
    return merged;
  };
}

function chainUntilResult<In, Out>(
  hooks: ((input: In) => Promise<Out | undefined>)[],
): (input: In) => Promise<Out | undefined> {
  return async (input) => {
    for (const hook of hooks) {
      const result = await hook(input);
      if (result) return result;
    }
    return undefined;
  };
}

function chainMoveHooks(hooks: HookOf<'beforeMove'>[]): HookOf<'beforeMove'> {
  return async (move) => {
    let merged: MoveHookResult = {};
    for (const hook of hooks) {
      merged = { ...merged, ...(await hook(move)) };
      if (merged.cancel) break;
    }
    return merged;
  };
}

function chainLifecycleHooks(hooks: HookOf<'onLifecycleEvent'>[]): HookOf<'onLifecycleEvent'> {
  return async (event) => {
    for (const hook of hooks) await hook(event);
  };
}
