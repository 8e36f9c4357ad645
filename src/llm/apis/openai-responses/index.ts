// Table of contents: the Responses format, which OpenAI and others speak.
import type { ModelApi } from '../../../contracts/index.ts';
import { createWireApi, type WirePorts } from '../../http/wire.ts';
import { createReader } from './reader.ts';
import { call } from './request.ts';

export function createOpenAiResponses(ports: WirePorts): ModelApi {
  return createWireApi(ports, { call, reader: createReader });
}
