// References to sessions in a database. Hosts use them in the place of file paths.

const SCHEME = 'postgres:';

/** The reference to a session in the database of this process. */
export function formatReference(sessionId: string): string {
  return `${SCHEME}${sessionId}`;
}

/** The id in a reference. `undefined` for file paths and for ids without the scheme. */
export function parseReference(reference: string): string | undefined {
  return reference.startsWith(SCHEME) ? reference.slice(SCHEME.length) : undefined;
}
