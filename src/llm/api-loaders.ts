// Loads the wire format (API) of a model when its first request is sent.
import type { Clock, Files, ModelApi } from '../contracts/index.ts';
import type { WirePorts } from './http/wire-api.ts';
import { OFFLINE_API } from './offline/offline-model.ts';

export type ApiLoader = () => Promise<ModelApi>;

export interface ApiPorts {
  clock: Pick<Clock, 'now'>;
  /** Lets the event loop run. Called at intervals during long answers that do no network I/O. */
  yieldToEventLoop?: () => Promise<void>;
  /** Ports for the HTTP formats. Without it only the offline model is available. */
  wire?: WirePorts;
  /** Environment with the regions, projects and request-signing keys of cloud providers. */
  env?: Env | undefined;
  /** Reads the credential files of cloud providers. */
  files?: Pick<Files, 'info' | 'read'> | undefined;
  /** Runs the credential commands that those files name. */
  runCommand?: ((command: string) => Promise<string>) | undefined;
  /** Asks the user for a text, such as an MFA code. Returns `undefined` when no user can answer. */
  askUser?: ((question: string) => Promise<string | undefined>) | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

export function createApiLoaders({
  wire,
  env = {},
  files,
  runCommand,
  askUser,
  ...ports
}: ApiPorts): Readonly<Record<string, ApiLoader>> {
  return {
    [OFFLINE_API]: async () => (await import('./offline/offline-api.ts')).createOfflineApi(ports),
    ...(wire
      ? { ...createWireApiLoaders(wire), ...createCloudApiLoaders(wire, env, { files, runCommand, askUser }) }
      : {}),
  };
}

function createWireApiLoaders(ports: WirePorts): Record<string, ApiLoader> {
  return {
    'anthropic-messages': async () =>
      (await import('./apis/anthropic-messages/index.ts')).createAnthropicMessages(ports),
    'openai-completions': async () =>
      (await import('./apis/openai-completions/index.ts')).createOpenAiCompletions(ports),
    'openai-responses': async () => (await import('./apis/openai-responses/index.ts')).createOpenAiResponses(ports),
  };
}

function createCloudApiLoaders(
  ports: WirePorts,
  env: Env,
  credentialPorts: Pick<ApiPorts, 'files' | 'runCommand' | 'askUser'>,
): Record<string, ApiLoader> {
  return {
    'azure-openai-responses': async () =>
      (await import('./apis/azure-openai-responses/index.ts')).createAzureOpenAiResponses(ports),
    'bedrock-converse-stream': async () =>
      (await import('./apis/ai-sdk/bedrock-converse-stream.ts')).createBedrockConverseStream(
        ports,
        env,
        credentialPorts,
      ),
    'google-generative-ai': async () =>
      (await import('./apis/ai-sdk/google-generative-ai.ts')).createGoogleGenerativeAi(ports),
    'google-vertex': async () =>
      (await import('./apis/ai-sdk/google-vertex.ts')).createGoogleVertex(ports, env, credentialPorts.files),
  };
}
