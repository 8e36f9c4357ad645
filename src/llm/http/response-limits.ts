// Size and time limits of provider responses, and their errors. Failures of kind `limit` are not retried.
import { ProviderFault } from './provider-fault.ts';

const MIB = 1024 * 1024;

/** Characters of one incomplete event. The largest real events, complete answers, have a few million. */
export const MAX_EVENT_CHARS = 16 * MIB;
/** Bytes of one response, after decompression. An answer of 128,000 tokens takes about 40 MB. */
export const MAX_RESPONSE_BYTES = 128 * MIB;

export function createEventTooLargeFault(): ProviderFault {
  return createLimitFault(`The provider sent an event of more than ${formatMib(MAX_EVENT_CHARS)}`);
}

export function createResponseTooLargeFault(): ProviderFault {
  return createLimitFault(`The provider sent a response of more than ${formatMib(MAX_RESPONSE_BYTES)}`);
}

export function createIdleTimeoutFault(limitMs: number): ProviderFault {
  const limit = `The limit is the setting http.idleTimeoutMs (${limitMs})`;
  return createLimitFault(`The provider sent no content for ${formatSeconds(limitMs)}. ${limit}.`);
}

export function createTotalTimeoutFault(limitMs: number): ProviderFault {
  const limit = `The limit is the setting http.totalTimeoutMs (${limitMs})`;
  return createLimitFault(`The response took longer than ${formatSeconds(limitMs)}. ${limit}.`);
}

function createLimitFault(message: string): ProviderFault {
  return new ProviderFault({ kind: 'limit' }, message);
}

function formatMib(bytes: number): string {
  return `${bytes / MIB} MiB`;
}

function formatSeconds(ms: number): string {
  return ms === 1000 ? '1 second' : `${ms / 1000} seconds`;
}
