// The hall: what extensions import to speak with models: asking, streams, prices, checks. Knows no session.
import type { Models, Ports } from '../../../contracts/index.ts';
import { isOverflow } from '../../../core/policy/compaction.ts';
import { checkJson } from '../../../core/schema/json-schema.ts';
import { priced } from '../../../llm/cost.ts';
import { parsePartialJson } from '../../../llm/tool-arguments.ts';
import { type AssistantMessage, levelsOf, type Model, type ToolCall, type Usage } from '../../../protocol/index.ts';
import { refusals } from './refused.ts';
import { AssistantMessageEventStream, askingFunctions, EventStream } from './stream-api.ts';
import { StringEnum, Type } from './typebox.ts';

export interface AiSurroundings {
  models: Models;
  ports: Pick<Ports, 'clock'>;
  /** Every model that is known without asking anyone. */
  known: readonly Model[];
}

export function aiModule({ models, ports, known }: AiSurroundings): Record<string, unknown> {
  return {
    ...refused,
    Type,
    StringEnum,
    ...askingFunctions(models, ports.clock),
    AssistantMessageEventStream,
    EventStream,
    createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
    getModel: (provider: string, id: string) => known.find((model) => model.provider === provider && model.id === id),
    getModels: (provider: string) => known.filter((model) => model.provider === provider),
    getProviders: () => [...new Set(known.map(({ provider }) => provider))],
    modelsAreEqual: (a?: Model | null, b?: Model | null) =>
      Boolean(a && b && a.provider === b.provider && a.id === b.id),
    supportsXhigh: (model: Model) => levelsOf(model).includes('xhigh'),
    isContextOverflow: (answer: AssistantMessage) => isOverflow(answer, undefined),
    calculateCost(model: Model, usage: Usage) {
      // Written into the one that was given, as extensions expect.
      usage.cost = priced(model, usage).cost;
      return usage.cost;
    },
    parseStreamingJson,
    validateToolArguments,
    validateToolCall(tools: readonly Offer[], call: ToolCall) {
      const tool = tools.find(({ name }) => name === call.name);
      if (!tool) throw new Error(`Tool "${call.name}" not found`);
      return validateToolArguments(tool, call);
    },
  };
}

interface Offer {
  name: string;
  parameters?: unknown;
}

function validateToolArguments({ name, parameters }: Offer, call: ToolCall): unknown {
  const checked = checkJson(parameters ?? {}, structuredClone(call.arguments));
  if ('value' in checked) return checked.value;
  const { path, message } = checked.problem;
  throw new Error(`Validation failed for tool "${name}": ${path} ${message}`);
}

/** As much as can be seen of JSON that is still arriving. */
function parseStreamingJson(text: string | undefined): unknown {
  if (!text?.trim()) return {};
  try {
    return parsePartialJson(text);
  } catch {
    return {};
  }
}

const formats = [
  'Anthropic',
  'OpenAICompletions',
  'OpenAIResponses',
  'OpenAICodexResponses',
  'AzureOpenAIResponses',
  'Google',
  'GoogleGeminiCli',
  'GoogleVertex',
  'Bedrock',
  'Mistral',
];

const refused = refusals('pi-ai', {
  'Describe the provider with baseUrl and api in pi.registerProvider, and ask with stream() or complete().': [
    ...formats.flatMap((name) => [`stream${name}`, `streamSimple${name}`]),
    'registerApiProvider',
    'unregisterApiProviders',
    'getApiProvider',
    'getApiProviders',
    'clearApiProviders',
    'registerBuiltInApiProviders',
  ],
  'Use ctx.modelRegistry.getApiKeyForProvider.': ['getEnvApiKey', 'getOAuthApiKey'],
  'Use pi.registerProvider with streamSimple.': [
    'registerFauxProvider',
    'fauxAssistantMessage',
    'fauxText',
    'fauxToolCall',
  ],
});

/** `pi-ai/oauth`, and the same names from `pi-ai` itself. */
export const signingIn = refusals('pi-ai/oauth', {
  'Sign in with the program itself, and use ctx.modelRegistry.getApiKeyForProvider.': [
    'loginAnthropic',
    'loginGitHubCopilot',
    'loginOpenAICodex',
    'loginGeminiCli',
    'loginAntigravity',
    'refreshOAuthToken',
    'refreshAnthropicToken',
    'refreshGitHubCopilotToken',
    'refreshOpenAICodexToken',
    'getOAuthApiKey',
    'getOAuthProvider',
    'getOAuthProviders',
    'registerOAuthProvider',
  ],
});
