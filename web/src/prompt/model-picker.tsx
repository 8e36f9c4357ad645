// Chooses the model of a session from a list that can be searched.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Model } from '../../../src/protocol/index.ts';
import { canChange } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { formatShort } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { usePopover } from '../parts/use-popover.ts';

interface ModelPickerProps {
  readonly store: SessionStore;
  readonly current: Model | null;
}

export function ModelPicker({ store, current }: ModelPickerProps) {
  const { root, isOpen, setIsOpen, close } = usePopover();
  return (
    <div class="model-picker" ref={root}>
      <button
        type="button"
        class="select-button"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-label={`Model: ${current?.name ?? 'none'}`}
        title={current ? `${current.provider}/${current.id}` : 'No model'}
        disabled={!canChange.value}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span>{current?.name ?? 'No model'}</span>
        <Icon name="chevronDown" size={12} />
      </button>
      {isOpen ? <ModelList store={store} current={current} onClose={close} /> : null}
    </div>
  );
}

interface ModelListProps extends ModelPickerProps {
  readonly onClose: () => void;
}

function ModelList({ store, current, onClose }: ModelListProps) {
  const [models, setModels] = useState<readonly Model[] | undefined>(undefined);
  const [query, setQuery] = useState('');
  const [selected, setSelected] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // Before the next key, which belongs to the field.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    store.call('get_available_models').then(
      (reply) => setModels((reply as { models: Model[] }).models),
      (thrown: Error) => {
        store.onFailure(thrown.message);
        onClose();
      },
    );
  }, []);
  const found = filterModels(models ?? [], query);
  const choose = (model: Model | undefined) => {
    if (!model) return;
    onClose();
    void store.run('set_model', { provider: model.provider, modelId: model.id });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setSelected((selected + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') choose(found[selected]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="popover model-list">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={`${id}-${selected}`}
        aria-label="Search models"
        placeholder="Search models"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={id} aria-label="Models">
        {models === undefined ? <p class="quiet">Loading…</p> : null}
        {models !== undefined && found.length === 0 ? <p class="quiet">No model found</p> : null}
        {found.map((model, at) => (
          <ModelOption
            key={`${model.provider}/${model.id}`}
            id={`${id}-${at}`}
            model={model}
            isSelected={at === selected}
            isCurrent={model.id === current?.id && model.provider === current.provider}
            onChoose={() => choose(model)}
          />
        ))}
      </div>
    </div>
  );
}

interface ModelOptionProps {
  readonly id: string;
  readonly model: Model;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}

function ModelOption({ id, model, isSelected, isCurrent, onChoose }: ModelOptionProps) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <button
      ref={element}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      onClick={onChoose}
    >
      <span class="check">{isCurrent ? <Icon name="check" size={12} /> : null}</span>
      <span class="name">{model.name}</span>
      <span class="quiet">
        {model.provider} · {formatShort(model.contextWindow)}
      </span>
    </button>
  );
}

function filterModels(models: readonly Model[], query: string): readonly Model[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return models.filter(({ id, name, provider }) => {
    const text = `${provider}/${id} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
