// First floor, core: `ctx.ui`, what an extension may ask and show. What needs a terminal does nothing here, as the protocol says.
import { isRecord } from '../../base/index.ts';
import type { HostUi, UiQuestion } from '../../contracts/index.ts';
import type { Patience } from './patience.ts';
import { plainTheme } from './theme.ts';

export interface DialogOptions {
  /** Milliseconds; 0 and nothing both mean: as long as it takes. */
  timeout?: number;
  signal?: AbortSignal;
}

export interface DialogPorts {
  /** Absent when nobody is there to answer: every question then has its default at once. */
  host(): HostUi | undefined;
  /** For questions that set no limit themselves. */
  timeoutMs: number | undefined;
  patience: Patience;
  /** Of the work on whose behalf is asked. */
  signal?: AbortSignal | undefined;
  /** Said once to an extension that draws its own pictures. */
  cannotDraw(): void;
}

type NotifyType = 'info' | 'warning' | 'error';
/** oh-my-pi explains choices; the label is what is offered, and what comes back. */
type Choice = string | { readonly label: string };

export function createDialogs(ports: DialogPorts) {
  const show: HostUi['show'] = (display) => ports.host()?.show(display);

  async function ask(question: UiQuestion, options: DialogOptions = {}) {
    const timeout = options.timeout || ports.timeoutMs;
    const signals = [options.signal, ports.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const resume = ports.patience.pause();
    try {
      const timed = timeout && question.method !== 'editor' ? { ...question, timeout } : question;
      return await ports.host()?.ask(timed, { ...(timeout ? { timeout } : {}), ...(signal ? { signal } : {}) });
    } finally {
      resume();
    }
  }

  async function value(question: UiQuestion, options?: DialogOptions): Promise<string | undefined> {
    const answer = await ask(question, options);
    return answer && 'value' in answer ? answer.value : undefined;
  }

  const setEditorText = (text: string) => show({ method: 'set_editor_text', text: String(text) });
  return {
    /** A word that was not offered is no choice: the extension would take it for one of its own. */
    async select(title: string, choices: readonly Choice[], options?: DialogOptions): Promise<string | undefined> {
      const offered = choices.map(labelOf);
      const chosen = await value({ method: 'select', title: String(title), options: offered }, options);
      return chosen !== undefined && offered.includes(chosen) ? chosen : undefined;
    },
    async confirm(title: string, message: string, options?: DialogOptions): Promise<boolean> {
      const answer = await ask({ method: 'confirm', title: String(title), message: String(message ?? '') }, options);
      return answer !== undefined && 'confirmed' in answer && answer.confirmed;
    },
    input: (title: string, placeholder?: string, options?: DialogOptions) =>
      value({ method: 'input', title: String(title), ...(placeholder === undefined ? {} : { placeholder }) }, options),
    editor: (title: string, prefill?: string, options?: DialogOptions) =>
      value({ method: 'editor', title: String(title), ...(prefill === undefined ? {} : { prefill }) }, options),
    notify: (message: string, type?: NotifyType) =>
      show({ method: 'notify', message: String(message), ...(isNotifyType(type) ? { notifyType: type } : {}) }),
    setStatus: (key: string, text?: string) =>
      show({
        method: 'setStatus',
        statusKey: String(key),
        ...(text === undefined ? {} : { statusText: String(text) }),
      }),
    /** A component needs a terminal: only lines are shown. */
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
    ...withoutTerminal(ports.cannotDraw),
  };
}

export type ExtensionUi = ReturnType<typeof createDialogs>;

function labelOf(choice: Choice): string {
  return String(isRecord(choice) ? choice.label : choice);
}

function isNotifyType(type: unknown): type is NotifyType {
  return type === 'info' || type === 'warning' || type === 'error';
}

/** What the protocol lists as unsupported, with the values that it names. */
function withoutTerminal(cannotDraw: () => void) {
  const nothing = (..._: unknown[]): void => {};
  return {
    async custom(..._: unknown[]): Promise<undefined> {
      cannotDraw();
      return undefined;
    },
    setWorkingMessage: nothing,
    setWorkingIndicator: nothing,
    setWorkingVisible: nothing,
    setHiddenThinkingLabel: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setEditorComponent: nothing,
    getEditorComponent: (): undefined => undefined,
    addAutocompleteProvider: nothing,
    setToolsExpanded: nothing,
    onTerminalInput: (..._: unknown[]) => nothing,
    getEditorText: () => '',
    getToolsExpanded: () => false,
    getAllThemes: (): never[] => [],
    getTheme: (_name?: string): undefined => undefined,
    setTheme: (_theme?: unknown) => ({ success: false, error: 'Theme switching not supported in RPC mode' }),
    theme: plainTheme,
  };
}
