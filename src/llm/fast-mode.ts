// Which models have a faster processing tier, and how a request selects it.
import type { Model } from '../protocol/index.ts';

const ANTHROPIC_FAST_MODELS = /^claude-opus-(4-[6-9]|[5-9])/;

/** The header that the Anthropic API requires for `speed`. */
export const ANTHROPIC_FAST_BETA = 'fast-mode-2026-02-01';

/** Only the providers themselves have the tier, not other servers with the same wire format. */
export function supportsFastMode({ provider, api, id }: Model): boolean {
  if (provider === 'anthropic') return api === 'anthropic-messages' && ANTHROPIC_FAST_MODELS.test(id);
  return provider === 'openai' && (api === 'openai-responses' || api === 'openai-completions');
}
