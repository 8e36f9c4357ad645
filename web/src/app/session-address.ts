// The part of the address of the page that names a session: `#/s/ID`.

const SESSION_ADDRESS = /^#\/s\/([^/]+)$/;

export function formatSessionAddress(sessionId: string): string {
  return `#/s/${encodeURIComponent(sessionId)}`;
}

/** The id of the session. The server reports one that does not exist, so a malformed one is used as it is. */
export function parseSessionAddress(hash: string): string | undefined {
  const [, id] = SESSION_ADDRESS.exec(hash) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return id;
  }
}
