// Table of contents: the Messages format, which Anthropic and others speak.
import type { ModelApi } from '../../../contracts/index.ts';
import { createWireApi, type WirePorts } from '../../http/wire.ts';
import { createReader } from './reader.ts';
import { call } from './request.ts';

export function createAnthropicMessages(ports: WirePorts): ModelApi {
  return createWireApi(ports, { call, reader: createReader });
}
