// What each model of the loopback provider accepts, from the provider's documentation. Independent of src on purpose.

export interface ServedModel {
  /** Values of `reasoning.effort`; a model without any does not reason. */
  efforts: readonly string[];
  supportsImages?: false;
  /** Sends plain instead of encrypted reasoning. */
  open?: true;
}

const CLASSIC = ['low', 'medium', 'high'];

export const SERVED: Readonly<Record<string, ServedModel>> = {
  'gpt-4.1': { efforts: [] },
  'gpt-4o': { efforts: [] },
  'o3-mini': { efforts: CLASSIC, supportsImages: false },
  o3: { efforts: CLASSIC },
  'o4-mini': { efforts: CLASSIC },
  'gpt-5': { efforts: ['minimal', ...CLASSIC] },
  'gpt-5-mini-2025-08-07': { efforts: ['minimal', ...CLASSIC] },
  'gpt-5-pro': { efforts: ['high'] },
  'gpt-5-codex': { efforts: CLASSIC },
  'gpt-5.1': { efforts: ['none', ...CLASSIC] },
  'gpt-5.1-codex-mini': { efforts: CLASSIC },
  'gpt-5.1-codex-max': { efforts: [...CLASSIC, 'xhigh'] },
  'gpt-5.2': { efforts: ['none', ...CLASSIC, 'xhigh'] },
  'gpt-5.2-pro': { efforts: ['medium', 'high', 'xhigh'] },
  'gpt-5.2-chat-latest': { efforts: ['medium'] },
  'gpt-5.3-codex': { efforts: [...CLASSIC, 'xhigh'] },
  'gpt-5.4-mini': { efforts: ['none', ...CLASSIC, 'xhigh'] },
  'gpt-5.6-terra': { efforts: ['none', ...CLASSIC, 'xhigh', 'max'] },
  'gpt-6-sol': { efforts: ['none', ...CLASSIC, 'xhigh', 'max'] },
  'gpt-6-astra': { efforts: [...CLASSIC, 'xhigh', 'max'] },
  'gpt-6.1-sol': { efforts: [...CLASSIC, 'xhigh', 'max'] },
  /** An open model behind a local server. */
  'gpt-oss-120b': { efforts: CLASSIC, supportsImages: false, open: true },
};
