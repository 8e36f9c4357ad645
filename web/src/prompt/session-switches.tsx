// The switches of a session: model, thinking level and permission mode.
import { useReducer } from 'preact/hooks';
import type { Model, PermissionMode, ThinkingLevel } from '../../../src/protocol/index.ts';
import { canChange } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { ModelPicker } from './model-picker.tsx';

const MODES: readonly { readonly mode: PermissionMode; readonly label: string; readonly hint: string }[] = [
  { mode: 'read-only', label: 'Read only', hint: 'Reads; other calls are denied' },
  { mode: 'always', label: 'Always ask', hint: 'Asks before every call' },
  { mode: 'ask', label: 'Ask', hint: 'Reads without asking' },
  { mode: 'auto-edit', label: 'Auto-edit', hint: 'Reads and changes files without asking' },
  { mode: 'full', label: 'Full', hint: 'Does everything without asking' },
];

const LEVELS: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];

export function SessionSwitches({ store }: { readonly store: SessionStore }) {
  const { state } = store.view.value;
  if (!state) return <div class="switches" />;
  return (
    <div class="switches">
      <ModelPicker store={store} current={state.model} />
      <ThinkingSwitch store={store} level={state.thinkingLevel} model={state.model} />
      <ModeSwitch store={store} mode={state.permissionMode} />
    </div>
  );
}

function listDefaultLevels(model: Model | null): readonly ThinkingLevel[] {
  return model?.thinkingLevels ?? (model?.reasoning ? LEVELS.filter((level) => level !== 'xhigh') : ['off']);
}

/** Draws a switch again after its call: if the call has failed, the switch shows the value that is still set. */
function useChange(call: (value: string) => Promise<unknown>): (value: string) => void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return (value) => void call(value).then(redraw);
}

interface ThinkingSwitchProps {
  readonly store: SessionStore;
  readonly level: ThinkingLevel;
  readonly model: Model | null;
}

function ThinkingSwitch({ store, level, model }: ThinkingSwitchProps) {
  const change = useChange((value) => store.run('set_thinking_level', { level: value }));
  const levels = listDefaultLevels(model);
  const shown = levels.includes(level) ? levels : [level, ...levels];
  return (
    <label class="select" title="Thinking level">
      <span class="visually-hidden">Thinking level</span>
      <select value={level} disabled={!canChange.value} onChange={(event) => change(event.currentTarget.value)}>
        {shown.map((one) => (
          <option key={one} value={one}>
            {one === 'off' ? 'No thinking' : `Thinking: ${one}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function ModeSwitch({ store, mode }: { readonly store: SessionStore; readonly mode: PermissionMode }) {
  const change = useChange((value) => store.run('set_permission_mode', { mode: value }));
  return (
    <label class={`select mode ${mode}`} title={MODES.find((one) => one.mode === mode)?.hint}>
      <span class="visually-hidden">Permission mode</span>
      <select value={mode} disabled={!canChange.value} onChange={(event) => change(event.currentTarget.value)}>
        {MODES.map(({ mode: value, label, hint }) => (
          <option key={value} value={value} title={hint}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
