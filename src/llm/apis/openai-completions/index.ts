// The OpenAI Chat Completions wire format, which most providers support.
import type { ModelApi } from '../../../contracts/index.ts';
import { createWireApi, type WirePorts } from '../../http/wire-api.ts';
import { createReader } from './reader.ts';
import { buildRequest } from './request.ts';

export function createOpenAiCompletions(ports: WirePorts): ModelApi {
  return createWireApi(ports, { buildRequest, createReader });
}
