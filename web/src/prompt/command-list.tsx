// The list of slash commands above the prompt. The keys are handled by the editor, which keeps the focus.
import type { SlashCommandEntry } from '../../../src/protocol/index.ts';

interface CommandListProps {
  readonly commands: readonly SlashCommandEntry[];
  readonly selected: number;
  readonly onSelect: (at: number) => void;
}

export function CommandList({ commands, selected, onSelect }: CommandListProps) {
  return (
    <div class="command-list" id="command-list" role="listbox" aria-label="Slash commands">
      {commands.map(({ name, description, source }, at) => (
        <button
          key={name}
          id={`command-${at}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={at === selected}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onSelect(at)}
        >
          <code>/{name}</code>
          <span class="description">{description}</span>
          <span class="quiet">{source}</span>
        </button>
      ))}
    </div>
  );
}
