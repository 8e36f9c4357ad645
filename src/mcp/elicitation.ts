// Asks the user for what a server wants to know: the fields of a form one by one, or the consent to open a URL.
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { isRecord } from '../base/index.ts';
import type { HostUi, UiQuestion } from '../contracts/index.ts';
import { describeField, type Field, parseField } from './elicitation-field.ts';
import type { ServerScope } from './server-scope.ts';

const MAX_FIELDS = 30;
const MAX_MESSAGE_LENGTH = 2000;
/** How often a field with an invalid answer is asked again. */
const MAX_ATTEMPTS = 3;

export interface ElicitationContext {
  readonly scope: ServerScope;
  readonly signal: AbortSignal;
}

type Params = ElicitRequest['params'];
type FieldValue = string | number | boolean | string[];

/** Thrown when the user closes a dialog. */
class Dismissed extends Error {}

export async function elicit(params: Params, { scope, signal }: ElicitationContext): Promise<ElicitResult> {
  const host = scope.context.host();
  if (!host) return { action: 'cancel' };
  const dialog = new Dialog(host, scope.definition.name, signal);
  try {
    if ('url' in params && params.mode === 'url') return await askForUrl(params, dialog);
    return await askForForm(params, dialog);
  } catch (thrown) {
    if (thrown instanceof Dismissed) return { action: 'cancel' };
    throw thrown;
  }
}

async function askForUrl(params: { url: string; message: string }, dialog: Dialog): Promise<ElicitResult> {
  const { url, message } = params;
  // Other schemes could start programs.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return { action: 'decline' };
  if (!(await dialog.confirm(`${message}\n\nOpen ${url}?`))) return { action: 'decline' };
  dialog.openUrl(url, message);
  return { action: 'accept' };
}

/** The first dialog shows the whole request, and is where the user declines. */
async function askForForm(params: Params, dialog: Dialog): Promise<ElicitResult> {
  const fields = listFields(params);
  const names = fields.map(describeField).join('\n');
  if (!(await dialog.confirm(names ? `${params.message}\n\n${names}` : params.message))) return { action: 'decline' };
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const value = await askForField(field, dialog);
    if (value !== undefined) content[field.name] = value;
  }
  return { action: 'accept', content };
}

function listFields(params: Params): Field[] {
  const schema: unknown = 'requestedSchema' in params ? params.requestedSchema : undefined;
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  const required = isRecord(schema) && Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => parseField(name, property, required.includes(name)));
}

async function askForField(field: Field, dialog: Dialog): Promise<FieldValue | undefined> {
  let problem: string | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const title = [problem, describeField(field)].filter(Boolean).join('\n');
    const text = field.options
      ? await dialog.select(title, [...field.options.map(({ label }) => label), ...(field.isRequired ? [] : [SKIP])])
      : await dialog.input(title, field.placeholder);
    const result = text === SKIP && field.options ? { value: undefined } : field.parse(text);
    if ('value' in result) return result.value;
    problem = result.problem;
  }
  throw new Dismissed();
}

const SKIP = '(no answer)';

/** The dialogs of one request. Each names the server. */
class Dialog {
  readonly #host: HostUi;
  readonly #title: string;
  readonly #signal: AbortSignal;

  constructor(host: HostUi, server: string, signal: AbortSignal) {
    this.#host = host;
    this.#title = `MCP server "${server}" asks`;
    this.#signal = signal;
  }

  async confirm(message: string): Promise<boolean> {
    const answer = await this.#ask({
      method: 'confirm',
      title: this.#title,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
    });
    if (!('confirmed' in answer)) throw new Dismissed();
    return answer.confirmed;
  }

  select(title: string, options: readonly string[]): Promise<string> {
    return this.#askText({ method: 'select', title: this.#formatTitle(title), options: [...options] });
  }

  input(title: string, placeholder: string | undefined): Promise<string> {
    return this.#askText({
      method: 'input',
      title: this.#formatTitle(title),
      ...(placeholder === undefined ? {} : { placeholder }),
    });
  }

  openUrl(url: string, message: string): void {
    this.#host.show({
      method: 'open_url',
      url,
      instructions: `${this.#title}: ${message.slice(0, MAX_MESSAGE_LENGTH)}`,
    });
  }

  #formatTitle(title: string): string {
    return `${this.#title}: ${title.slice(0, MAX_MESSAGE_LENGTH)}`;
  }

  async #askText(question: UiQuestion): Promise<string> {
    const answer = await this.#ask(question);
    if (!('value' in answer)) throw new Dismissed();
    return answer.value;
  }

  async #ask(question: UiQuestion) {
    const answer = await this.#host.ask(question, { signal: this.#signal });
    if (!answer || 'cancelled' in answer) throw new Dismissed();
    return answer;
  }
}
