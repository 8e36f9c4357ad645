// Replaces the package pi-tui for extensions. There is no terminal: components can be created, but nothing is drawn.

import { readImageSize } from './image-size.ts';

type Component = { render(width: number): string[]; invalidate(): void; handleInput(data: string): void };

class EmptyComponent implements Component {
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

const COMPONENT_NAMES = [
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

const AGENT_COMPONENT_NAMES = [
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

function createEmptyComponents<N extends string>(names: readonly N[]): Readonly<Record<N, typeof EmptyComponent>> {
  return Object.fromEntries(names.map((name) => [name, class extends EmptyComponent {}])) as Record<
    N,
    typeof EmptyComponent
  >;
}

/** Components that pi-coding-agent exports. */
export const agentComponents = createEmptyComponents(AGENT_COMPONENT_NAMES);

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
const ESCAPE_SEQUENCES = /\u001b\[[0-9;]*[A-Za-z]/g;

function visibleWidth(text: string): number {
  return [...text.replace(ESCAPE_SEQUENCES, '')].length;
}

function truncateToWidth(text: string, width: number, ellipsis = '…'): string {
  if (visibleWidth(text) <= width) return text;
  const plain = [...text.replace(ESCAPE_SEQUENCES, '')];
  return plain.slice(0, Math.max(0, width - visibleWidth(ellipsis))).join('') + ellipsis;
}

function wrapTextWithAnsi(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const letters = [...line];
    const count = Math.max(1, Math.ceil(letters.length / Math.max(1, width)));
    return Array.from({ length: count }, (_, at) => letters.slice(at * width, (at + 1) * width).join(''));
  });
}

/** `Key.ctrl('x')` and similar values are only compared with pressed keys, and no key is ever pressed. */
const Key: unknown = new Proxy((..._: unknown[]) => '', { get: (_, name) => createKey(String(name)) });

function createKey(name: string): unknown {
  return Object.assign((key: unknown) => `${name}+${String(key)}`, { toString: () => name });
}

const noop = (..._: unknown[]): void => {};
const returnFalse = (..._: unknown[]): boolean => false;
const returnUndefined = (..._: unknown[]): undefined => undefined;
const keybindings = {
  matches: returnFalse,
  getKeys: () => [] as string[],
  getEffectiveConfig: () => ({}),
  setConfig: noop,
};

/** `data` is base64. */
function readDimensions(data: unknown) {
  const size = readImageSize(Buffer.from(String(data), 'base64'));
  return size ? { widthPx: size.width, heightPx: size.height } : null;
}

const dimensionFunctions = {
  getPngDimensions: readDimensions,
  getJpegDimensions: readDimensions,
  getGifDimensions: readDimensions,
  getWebpDimensions: readDimensions,
};

export const tuiModule = {
  ...createEmptyComponents(COMPONENT_NAMES),
  Key,
  matchesKey: returnFalse,
  parseKey: returnUndefined,
  isKeyRelease: returnFalse,
  isKeyRepeat: returnFalse,
  isKittyProtocolActive: returnFalse,
  setKittyProtocolActive: noop,
  decodeKittyPrintable: returnUndefined,
  isFocusable: returnFalse,
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
  setKeybindings: noop,
  getEditorKeybindings: () => keybindings,
  setEditorKeybindings: noop,
  getCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
  detectCapabilities: () => ({ images: null, trueColor: false, hyperlinks: false }),
  resetCapabilitiesCache: noop,
  getCellDimensions: () => ({ widthPx: 9, heightPx: 18 }),
  setCellDimensions: noop,
  ...dimensionFunctions,
  getImageDimensions: readDimensions,
  calculateImageRows: () => 1,
  imageFallback: (mimeType: unknown) => `[Image: ${String(mimeType)}]`,
  renderImage: () => null,
  allocateImageId: () => 1,
  deleteKittyImage: () => '',
  deleteAllKittyImages: () => '',
};
