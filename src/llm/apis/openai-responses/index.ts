// The OpenAI Responses wire format.
import type { ModelApi } from '../../../contracts/index.ts';
import { createWireApi, type WirePorts } from '../../http/wire-api.ts';
import { createReader } from './reader.ts';
import { buildRequest } from './request.ts';

export function createOpenAiResponses(ports: WirePorts): ModelApi {
  return createWireApi(ports, { buildRequest, createReader });
}
