// The commands /model, /thinking, /login and /logout.
import { Fault } from '../../base/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { CommandContext, SlashCommand } from './slash-command.ts';

const OFFLINE = /^(parley\/)?offline$/i;

export const model: SlashCommand = {
  name: 'model',
  argumentHint: '[NAME]',
  doc: 'Select the model',
  getArgumentCompletions: async (context) => (await listModels(context)).map(formatModelId),
  async run(args, context) {
    const models = await listModels(context);
    const listed = models.filter((candidate) => formatModelId(candidate).toLowerCase().includes(args.toLowerCase()));
    // The offline model is not listed when other models are available, but it can be selected by name.
    const matches: readonly ModelRef[] =
      listed.length === 0 && OFFLINE.test(args) ? [{ provider: 'parley', id: 'offline' }] : listed;
    if (matches.length === 0)
      throw new Fault('not_found', `Model not available: ${args}. Run /model to list the available models.`);
    const exact = matches.find((candidate) => formatModelId(candidate) === args || candidate.id === args);
    const chosen = exact ?? (args !== '' && matches.length === 1 ? matches[0] : await chooseModel(matches, context));
    if (!chosen) return;
    await context.client.call('set_model', { provider: chosen.provider, modelId: chosen.id });
    await context.refreshStatus();
    context.notify(`${formatModelId(chosen)} is now the selected model.`);
  },
};

/** After a login the user most likely wants a model of that provider, if the offline model was used. */
export const login: SlashCommand = {
  name: 'login',
  argumentHint: '[PROVIDER]',
  doc: 'Sign in to a provider, or store its API key',
  async run(args, context) {
    const { runLogin } = await import('./login.ts');
    const provider = await runLogin(args, context);
    const isOffline = !context.state.model || context.state.model.provider === 'parley';
    if (provider !== undefined && isOffline) await model.run(`${provider}/`, context);
  },
};

export const logout: SlashCommand = {
  name: 'logout',
  argumentHint: '[PROVIDER]',
  doc: 'Remove the stored credentials of a provider',
  async run(args, context) {
    const { runLogout } = await import('./login.ts');
    await runLogout(args, context);
  },
};

export const thinking: SlashCommand = {
  name: 'thinking',
  argumentHint: '[LEVEL]',
  doc: 'Set the thinking level',
  getArgumentCompletions: async (context) => (await context.client.call('get_available_thinking_levels')).levels,
  async run(args, context) {
    const { levels } = await context.client.call('get_available_thinking_levels');
    const at = Math.max(0, levels.indexOf(context.state.thinkingLevel));
    const requested = args || (await context.choose('Select a thinking level', levels.map(toChoice), at));
    const level = levels.find((candidate) => candidate === requested);
    if (requested === undefined) return;
    if (!level)
      throw new Fault(
        'invalid_params',
        `${requested} is not a thinking level of this model. Available levels: ${levels.join(', ')}.`,
      );
    await context.client.call('set_thinking_level', { level });
    await context.refreshStatus();
    context.notify(`Thinking: ${context.state.thinkingLevel}`);
  },
};

function toChoice(value: string) {
  return { value, label: value };
}

async function listModels({ client }: CommandContext): Promise<readonly Model[]> {
  return (await client.call('get_available_models')).models;
}

function formatModelId({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider}/${id}`;
}

type ModelRef = Pick<Model, 'provider' | 'id'> & Partial<Model>;

async function chooseModel(models: readonly ModelRef[], context: CommandContext): Promise<ModelRef | undefined> {
  const { SearchDialog } = await import('../dialogs/search-dialog.ts');
  const choices = models.map((candidate) => ({
    value: formatModelId(candidate),
    columns: [
      formatModelId(candidate),
      candidate.name ?? '',
      candidate.contextWindow ? `${formatSize(candidate.contextWindow)} context` : '',
      candidate.reasoning ? 'thinking' : '',
    ],
  }));
  const current = context.state.model ? formatModelId(context.state.model) : undefined;
  const value = await context.dialogs.choose(new SearchDialog('Select a model', choices, current));
  return models.find((candidate) => formatModelId(candidate) === value);
}

function formatSize(tokens: number): string {
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(1))}M` : `${Math.round(tokens / 1000)}k`;
}
