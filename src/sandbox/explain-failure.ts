// Recognises in the output of a failed command that the sandbox may be the reason.

/** What the output contains, and what the sandbox forbids. Matched in the last part of the output only. */
const SIGNS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /read-only file system|EROFS|Device or resource busy|EBUSY|Invalid cross-device link|EXDEV/i,
    'changing files outside the writable directories, or protected files',
  ],
  [
    /could not resolve|name resolution|network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|connection refused|ECONNREFUSED|no route to host|Name or service not known|nodename nor servname/i,
    'using the network',
  ],
  [
    /permission denied|operation not permitted|EACCES|EPERM|not permitted|sandbox-exec|deny\(1\)/i,
    'reading private files, changing files, or using privileges',
  ],
  [
    /\b403\b[^\n]{0,80}(proxy|sandbox|not allowed)|(proxy|CONNECT)[^\n]{0,80}\b403\b/i,
    'connecting to hosts that are not in sandbox.allowedHosts',
  ],
];
const SEARCHED_CHARACTERS = 20_000;

export function explainFailure(
  { exitCode, output }: { readonly exitCode: number | undefined; readonly output: string },
  description: string,
): string | undefined {
  if (exitCode === 0) return undefined;
  const end = output.slice(-SEARCHED_CHARACTERS);
  const reasons = SIGNS.filter(([pattern]) => pattern.test(end)).map(([, reason]) => reason);
  if (reasons.length === 0) return undefined;
  return `The sandbox (${description}) may be the reason: it forbids ${reasons.join('; ')}.`;
}
