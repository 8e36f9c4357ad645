// Table of contents: the Chat Completions format, which nearly every host speaks.
import type { ModelApi } from '../../../contracts/index.ts';
import { createWireApi, type WirePorts } from '../../http/wire.ts';
import { createReader } from './reader.ts';
import { call } from './request.ts';

export function createOpenAiCompletions(ports: WirePorts): ModelApi {
  return createWireApi(ports, { call, reader: createReader });
}
