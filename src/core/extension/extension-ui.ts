// Creates `ctx.ui`: dialogs and displays of extensions. Methods that need a terminal do nothing, as the RPC protocol specifies.
import { isRecord } from '../../base/index.ts';
import type { HostUi, UiQuestion } from '../../contracts/index.ts';
import type { HandlerTimeout } from './handler-timeout.ts';
import { plainTheme } from './plain-theme.ts';

export interface DialogOptions {
  /** Milliseconds; 0 and `undefined` mean no limit. */
  timeout?: number;
  signal?: AbortSignal;
}

export interface ExtensionUiOptions {
  /** `undefined` when no host can answer. Every dialog then returns its default at once. */
  getHost(): HostUi | undefined;
  /** Timeout of dialogs that do not set their own. */
  timeoutMs: number | undefined;
  handlerTimeout: HandlerTimeout;
  /** Aborted together with the run that opened the dialog. */
  signal?: AbortSignal | undefined;
  /** Called when a dialog is shown. Returns a function that is called when the dialog has ended. */
  onDialog?(question: UiQuestion): () => void;
  /** Called when an extension uses `custom()`, which needs a terminal. */
  warnCustomUi(): void;
}

type NotifyType = 'info' | 'warning' | 'error';
/** In oh-my-pi a choice may be an object with a description. The label is shown and returned. */
type Choice = string | { readonly label: string };

export function createExtensionUi(options: ExtensionUiOptions) {
  return {
    ...createDialogs(options),
    ...createDisplays((display) => options.getHost()?.show(display)),
    ...createTerminalStubs(options.warnCustomUi),
  };
}

export type ExtensionUi = ReturnType<typeof createExtensionUi>;

function createDialogs(uiOptions: ExtensionUiOptions) {
  return {
    /** An answer that is not one of the choices counts as no answer: the extension would mistake it for a choice. */
    async select(title: string, choices: readonly Choice[], options?: DialogOptions): Promise<string | undefined> {
      const labels = choices.map(getLabel);
      const question: UiQuestion = { method: 'select', title: String(title), options: labels };
      const selected = await askForValue(uiOptions, question, options);
      return selected !== undefined && labels.includes(selected) ? selected : undefined;
    },
    async confirm(title: string, message: string, options?: DialogOptions): Promise<boolean> {
      const question: UiQuestion = { method: 'confirm', title: String(title), message: String(message ?? '') };
      const answer = await ask(uiOptions, question, options);
      return answer !== undefined && 'confirmed' in answer && answer.confirmed;
    },
    input: (title: string, placeholder?: string, options?: DialogOptions) =>
      askForValue(
        uiOptions,
        { method: 'input', title: String(title), ...(placeholder === undefined ? {} : { placeholder }) },
        options,
      ),
    editor: (title: string, prefill?: string, options?: DialogOptions) =>
      askForValue(
        uiOptions,
        { method: 'editor', title: String(title), ...(prefill === undefined ? {} : { prefill }) },
        options,
      ),
  };
}

async function askForValue(
  uiOptions: ExtensionUiOptions,
  question: UiQuestion,
  options?: DialogOptions,
): Promise<string | undefined> {
  const answer = await ask(uiOptions, question, options);
  return answer && 'value' in answer ? answer.value : undefined;
}

async function ask(uiOptions: ExtensionUiOptions, question: UiQuestion, options: DialogOptions = {}) {
  const timeout = options.timeout || uiOptions.timeoutMs;
  const signals = [options.signal, uiOptions.signal].filter((signal) => signal !== undefined);
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  const resume = uiOptions.handlerTimeout.pause();
  const host = uiOptions.getHost();
  const endDialog = host && uiOptions.onDialog?.(question);
  try {
    const timedQuestion = timeout && question.method !== 'editor' ? { ...question, timeout } : question;
    return await host?.ask(timedQuestion, { ...(timeout ? { timeout } : {}), ...(signal ? { signal } : {}) });
  } finally {
    endDialog?.();
    resume();
  }
}

function createDisplays(show: HostUi['show']) {
  const setEditorText = (text: string) => show({ method: 'set_editor_text', text: String(text) });
  return {
    notify: (message: string, type?: NotifyType) =>
      show({ method: 'notify', message: String(message), ...(isNotifyType(type) ? { notifyType: type } : {}) }),
    setStatus: (key: string, text?: string) =>
      show({
        method: 'setStatus',
        statusKey: String(key),
        ...(text === undefined ? {} : { statusText: String(text) }),
      }),
    /** Only lines of text are supported. A component needs a terminal and is ignored. */
    setWidget(key: string, content?: readonly string[] | unknown, options: { placement?: string } = {}): void {
      if (content !== undefined && !Array.isArray(content)) return;
      show({
        method: 'setWidget',
        widgetKey: String(key),
        ...(content === undefined ? {} : { widgetLines: content.map(String) }),
        ...(options.placement === undefined ? {} : { widgetPlacement: options.placement }),
      });
    },
    setTitle: (title: string) => show({ method: 'setTitle', title: String(title) }),
    setEditorText,
    pasteToEditor: setEditorText,
  };
}

function getLabel(choice: Choice): string {
  return String(isRecord(choice) ? choice.label : choice);
}

function isNotifyType(type: unknown): type is NotifyType {
  return type === 'info' || type === 'warning' || type === 'error';
}

/** Methods that the RPC protocol lists as unsupported, with the return values that it specifies. */
function createTerminalStubs(warnCustomUi: () => void) {
  const noop = (..._: unknown[]): void => {};
  return {
    async custom(..._: unknown[]): Promise<undefined> {
      warnCustomUi();
      return undefined;
    },
    setWorkingMessage: noop,
    setWorkingIndicator: noop,
    setWorkingVisible: noop,
    setHiddenThinkingLabel: noop,
    setFooter: noop,
    setHeader: noop,
    setEditorComponent: noop,
    getEditorComponent: (): undefined => undefined,
    addAutocompleteProvider: noop,
    setToolsExpanded: noop,
    onTerminalInput: (..._: unknown[]) => noop,
    getEditorText: () => '',
    getToolsExpanded: () => false,
    getAllThemes: (): never[] => [],
    getTheme: (_name?: string): undefined => undefined,
    setTheme: (_theme?: unknown) => ({ success: false, error: 'Theme switching not supported in RPC mode' }),
    theme: plainTheme,
  };
}
