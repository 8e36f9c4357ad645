// Recognises in the output of a failed command that the sandbox may be the reason.

/** What the output contains, and what the sandbox forbids. Matched in the last part of the output only. */
const SIGNS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /read-only file system|EROFS|Device or resource busy|EBUSY|Invalid cross-device link|EXDEV/i,
    'changing files outside the writable directories, or protected files',
  ],
  [
    /permission denied|operation not permitted|EACCES|EPERM|not permitted|sandbox-exec|deny\(1\)/i,
    'reading private files, changing files, or using privileges',
  ],
];
const NETWORK_SIGN =
  /could not resolve|name resolution|network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|connection refused|ECONNREFUSED|no route to host|Name or service not known|nodename nor servname/i;
const SEARCHED_CHARACTERS = 20_000;

export interface FailureContext {
  /** Of the sandbox, such as `workspace-write, network off`. */
  readonly description: string;
  readonly network: 'off' | 'on' | 'allow-list';
  /** A sentence that names the hosts that were refused, if there are any. */
  explainRefusals?(output: string): string | undefined;
}

export function explainFailure(
  { exitCode, output }: { readonly exitCode?: number | undefined; readonly output: string },
  { description, network, explainRefusals }: FailureContext,
): string | undefined {
  if (exitCode === 0) return undefined;
  const end = output.slice(-SEARCHED_CHARACTERS);
  const refusals = explainRefusals?.(end);
  const reasons = SIGNS.filter(([pattern]) => pattern.test(end)).map(([, reason]) => reason);
  // Refused hosts are the better explanation of network errors.
  if (network !== 'on' && !refusals && NETWORK_SIGN.test(end)) reasons.push('using the network');
  const forbids = `The sandbox (${description}) may be the reason: it forbids ${reasons.join('; ')}.`;
  const sentences = [refusals, reasons.length > 0 ? forbids : undefined].filter((sentence) => sentence !== undefined);
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
