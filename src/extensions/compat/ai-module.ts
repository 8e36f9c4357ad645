// Replaces the package pi-ai for extensions: model requests, streams, costs and validation.
import type { ModelRegistry, Ports } from '../../contracts/index.ts';
import { createModelRequests } from '../../core/extension/index.ts';
import { isOverflow } from '../../core/policy/compaction-policy.ts';
import { addCost } from '../../llm/cost.ts';
import { parsePartialJson } from '../../llm/tool-arguments.ts';
import {
  type AssistantMessage,
  getThinkingLevels,
  type Model,
  type ToolCall,
  type Usage,
} from '../../protocol/index.ts';
import { checkJson } from '../../support/json-schema/json-schema.ts';
import { createAiHelpers } from './ai-helpers.ts';
import { AssistantMessageEventStream, EventStream } from './stream-functions.ts';
import { transcriptFunctions } from './transcript-functions.ts';
import { StringEnum, type TypeboxModules } from './typebox.ts';
import type { UnsupportedNames } from './unsupported-exports.ts';

export interface AiModuleOptions {
  models: ModelRegistry;
  ports: Pick<Ports, 'clock' | 'ids'>;
  /** The models of the built-in catalogue. */
  catalogueModels: readonly Model[];
  typebox: TypeboxModules | undefined;
}

export function createAiModule({ models, ports, catalogueModels, typebox }: AiModuleOptions): Record<string, unknown> {
  return {
    ...transcriptFunctions,
    ...createAiHelpers(ports),
    Type: typebox?.Type,
    StringEnum,
    ...createModelRequests(models, ports.clock),
    AssistantMessageEventStream,
    EventStream,
    createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
    getModel: (provider: string, id: string) =>
      catalogueModels.find((model) => model.provider === provider && model.id === id),
    getModels: (provider: string) => catalogueModels.filter((model) => model.provider === provider),
    getProviders: () => [...new Set(catalogueModels.map(({ provider }) => provider))],
    modelsAreEqual: (a?: Model | null, b?: Model | null) =>
      Boolean(a && b && a.provider === b.provider && a.id === b.id),
    supportsXhigh: (model: Model) => getThinkingLevels(model).includes('xhigh'),
    isContextOverflow: (answer: AssistantMessage) => isOverflow(answer, undefined),
    calculateCost(model: Model, usage: Usage) {
      // Changes the argument, as extensions expect.
      usage.cost = addCost(model, usage).cost;
      return usage.cost;
    },
    parseStreamingJson,
    validateToolArguments,
    validateToolCall(tools: readonly ToolSchema[], call: ToolCall) {
      const tool = tools.find(({ name }) => name === call.name);
      if (!tool) throw new Error(`Tool "${call.name}" not found`);
      return validateToolArguments(tool, call);
    },
  };
}

interface ToolSchema {
  name: string;
  parameters?: unknown;
}

function validateToolArguments({ name, parameters }: ToolSchema, call: ToolCall): unknown {
  const checked = checkJson(parameters ?? {}, structuredClone(call.arguments));
  if ('value' in checked) return checked.value;
  const { path, message } = checked.problem;
  throw new Error(`Validation failed for tool "${name}": ${path} ${message}`);
}

/** Parses incomplete JSON as far as possible. */
function parseStreamingJson(text: string | undefined): unknown {
  if (!text?.trim()) return {};
  try {
    return parsePartialJson(text);
  } catch {
    return {};
  }
}

const PROVIDER_FORMATS = [
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

/** Also for `pi-ai/oauth`. */
export const UNSUPPORTED_BY_AI: UnsupportedNames = {
  'Describe the provider with baseUrl and api in pi.registerProvider, and ask with stream() or complete().': [
    ...PROVIDER_FORMATS.flatMap((name) => [`stream${name}`, `streamSimple${name}`]),
    'registerApiProvider',
    'unregisterApiProviders',
    'getApiProvider',
    'getApiProviders',
    'clearApiProviders',
    'registerBuiltInApiProviders',
    'createModels',
    'createProvider',
  ],
  'Use ctx.modelRegistry.getApiKeyForProvider.': ['getEnvApiKey', 'findEnvKeys', 'envApiKeyAuth'],
  'Use pi.registerProvider with streamSimple.': ['registerFauxProvider', 'fauxProvider', 'createFauxCore'],
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
};
