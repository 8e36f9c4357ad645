// The hall: what extensions import to draw on a terminal. There is none here: it can all be made, and nothing is drawn.

type Component = { render(width: number): string[]; invalidate(): void; handleInput(data: string): void };

class Blank implements Component {
  [key: string]: unknown;
  render(_width?: number): string[] {
    return [];
  }
  invalidate(): void {}
  handleInput(_data?: string): void {}
  addChild(_child?: unknown): void {}
  removeChild(_child?: unknown): void {}
  clear(): void {}
  setText(_text?: unknown): void {}
  setValue(_value?: unknown): void {}
  getValue(): string {
    return '';
  }
  start(): void {}
  stop(): void {}
  dispose(): void {}
}

const NAMES = [
  'Text',
  'TruncatedText',
  'Box',
  'Container',
  'Spacer',
  'Markdown',
  'SelectList',
  'SettingsList',
  'Input',
  'Editor',
  'Image',
  'Loader',
  'CancellableLoader',
  'TUI',
  'ProcessTerminal',
  'BorderedLoader',
  'DynamicBorder',
  'CustomEditor',
];

/** Every component that there is, as something that can be made. */
export const components: Readonly<Record<string, typeof Blank>> = Object.fromEntries(
  NAMES.map((name) => [name, class extends Blank {}]),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what escape sequences are made of
const ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;

function visibleWidth(text: string): number {
  return [...text.replace(ESCAPES, '')].length;
}

function truncateToWidth(text: string, width: number, ellipsis = '…'): string {
  if (visibleWidth(text) <= width) return text;
  const plain = [...text.replace(ESCAPES, '')];
  return plain.slice(0, Math.max(0, width - visibleWidth(ellipsis))).join('') + ellipsis;
}

function wrapTextWithAnsi(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const letters = [...line];
    const count = Math.max(1, Math.ceil(letters.length / Math.max(1, width)));
    return Array.from({ length: count }, (_, at) => letters.slice(at * width, (at + 1) * width).join(''));
  });
}

/** `Key.ctrl('x')` and the like are only ever compared with keys that nobody presses. */
const Key: unknown = new Proxy((..._: unknown[]) => '', { get: (_, name) => keyNamed(String(name)) });

function keyNamed(name: string): unknown {
  return Object.assign((key: unknown) => `${name}+${String(key)}`, { toString: () => name });
}

export const terminal = {
  ...components,
  Key,
  matchesKey: () => false,
  isKeyRelease: () => false,
  visibleWidth,
  truncateToWidth,
  wrapTextWithAnsi,
  fuzzyFilter: <T>(items: readonly T[]): T[] => [...items],
  fuzzyMatch: () => ({ matches: true, score: 0 }),
  getKeybindings: () => ({ matches: () => false, getKeys: () => [] }),
};
