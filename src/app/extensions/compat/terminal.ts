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
  'CombinedAutocompleteProvider',
  'StdinBuffer',
  'EditorKeybindingsManager',
  'KeybindingsManager',
] as const;

const AGENT_NAMES = [
  'BorderedLoader',
  'DynamicBorder',
  'CustomEditor',
  'ArminComponent',
  'AssistantMessageComponent',
  'BashExecutionComponent',
  'BranchSummaryMessageComponent',
  'CompactionSummaryMessageComponent',
  'CustomMessageComponent',
  'ExtensionEditorComponent',
  'ExtensionInputComponent',
  'ExtensionSelectorComponent',
  'FooterComponent',
  'LoginDialogComponent',
  'ModelSelectorComponent',
  'OAuthSelectorComponent',
  'SessionSelectorComponent',
  'SettingsSelectorComponent',
  'ShowImagesSelectorComponent',
  'SkillInvocationMessageComponent',
  'ThemeSelectorComponent',
  'ThinkingSelectorComponent',
  'ToolExecutionComponent',
  'TreeSelectorComponent',
  'UserMessageComponent',
  'UserMessageSelectorComponent',
] as const;

function blanks<N extends string>(names: readonly N[]): Readonly<Record<N, typeof Blank>> {
  return Object.fromEntries(names.map((name) => [name, class extends Blank {}])) as Record<N, typeof Blank>;
}

/** Those of the agent itself. */
export const agentComponents = blanks(AGENT_NAMES);

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

const nothing = (..._: unknown[]): void => {};
const no = (..._: unknown[]): boolean => false;
const none = (..._: unknown[]): undefined => undefined;
const keybindings = { matches: no, getKeys: () => [] as string[], getEffectiveConfig: () => ({}), setConfig: nothing };

export const terminal = {
  ...blanks(NAMES),
  Key,
  matchesKey: no,
  parseKey: none,
  isKeyRelease: no,
  isKeyRepeat: no,
  isKittyProtocolActive: no,
  setKittyProtocolActive: nothing,
  decodeKittyPrintable: none,
  isFocusable: no,
  CURSOR_MARKER: '',
  visibleWidth,
  truncateToWidth,
  wrapTextWithAnsi,
  hyperlink: (text: unknown) => String(text),
  fuzzyFilter: <T>(items: readonly T[]): T[] => [...items],
  fuzzyMatch: () => ({ matches: true, score: 0 }),
  DEFAULT_EDITOR_KEYBINDINGS: {},
  TUI_KEYBINDINGS: {},
  getKeybindings: () => keybindings,
  setKeybindings: nothing,
  getEditorKeybindings: () => keybindings,
  setEditorKeybindings: nothing,
  getCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
  detectCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
  resetCapabilitiesCache: nothing,
  getCellDimensions: () => ({ widthPx: 9, heightPx: 18 }),
  setCellDimensions: nothing,
  getImageDimensions: () => null,
  calculateImageRows: () => 1,
  imageFallback: (mimeType: unknown) => `[Image: ${String(mimeType)}]`,
  renderImage: () => null,
  allocateImageId: () => 1,
  deleteKittyImage: () => '',
  deleteAllKittyImages: () => '',
};
