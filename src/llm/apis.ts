// First floor, llm: the wire formats we speak, each loaded when its first request comes. Knows no model.
import type { Clock, Files, ModelApi } from '../contracts/index.ts';
import type { WirePorts } from './http/wire.ts';
import { OFFLINE_API } from './offline/model.ts';

export type ApiLoader = () => Promise<ModelApi>;

export interface ApiPorts {
  clock: Pick<Clock, 'now'>;
  /** Lets the event loop turn. Called now and then inside long answers that no network interrupts. */
  pause?: () => Promise<void>;
  /** What the formats that travel over HTTP need. Without it only the offline model is reached. */
  wire?: WirePorts;
  /** Where clouds keep regions, projects and the keys that sign requests. */
  env?: Env | undefined;
  /** Where their own files are read, which keep sign-ins. */
  files?: Pick<Files, 'info' | 'read'> | undefined;
  /** Runs the commands that those files name for keys. */
  print?: ((command: string) => Promise<string>) | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

export function apiLoaders({ wire, env = {}, files, print, ...ports }: ApiPorts): Readonly<Record<string, ApiLoader>> {
  return {
    [OFFLINE_API]: async () => (await import('./offline/api.ts')).createOfflineApi(ports),
    ...(wire ? { ...wireLoaders(wire), ...cloudLoaders(wire, env, { files, print }) } : {}),
  };
}

function wireLoaders(ports: WirePorts): Record<string, ApiLoader> {
  return {
    'anthropic-messages': async () =>
      (await import('./apis/anthropic-messages/index.ts')).createAnthropicMessages(ports),
    'openai-completions': async () =>
      (await import('./apis/openai-completions/index.ts')).createOpenAiCompletions(ports),
    'openai-responses': async () => (await import('./apis/openai-responses/index.ts')).createOpenAiResponses(ports),
  };
}

function cloudLoaders(
  ports: WirePorts,
  env: Env,
  signIn: Pick<ApiPorts, 'files' | 'print'>,
): Record<string, ApiLoader> {
  return {
    'azure-openai-responses': async () =>
      (await import('./apis/azure-openai-responses/index.ts')).createAzureOpenAiResponses(ports),
    'bedrock-converse-stream': async () =>
      (await import('./apis/ai-sdk/bedrock-converse-stream.ts')).createBedrockConverseStream(ports, env, signIn),
    'google-generative-ai': async () =>
      (await import('./apis/ai-sdk/google-generative-ai.ts')).createGoogleGenerativeAi(ports),
    'google-vertex': async () =>
      (await import('./apis/ai-sdk/google-vertex.ts')).createGoogleVertex(ports, env, signIn.files),
  };
}
