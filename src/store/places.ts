// The store's map: how a session's folder and file are called. Knows names only; touches no disk.

/** What file systems allow, in bytes. A working directory may be deeper than that. */
const LONGEST_NAME = 255;

/** The sessions of one working directory lie together, under its name: pi's layout, so that its tools find them. */
export function sessionFolder(agentDir: string, cwd: string): string {
  const name = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
  return `${agentDir}/sessions/${new TextEncoder().encode(name).length <= LONGEST_NAME ? name : shortened(name)}`;
}

export function sessionFileName(begunMs: number, id: string): string {
  const time = new Date(begunMs).toISOString().replace(/[:.]/g, '-');
  // An id may come from a host: nothing in it may lead out of the folder.
  return `${time}_${id.replace(/[^\w.-]/g, '-')}.jsonl`;
}

/** The end of the name, which tells most, after a number that tells it from others with the same end (FNV-1a). */
function shortened(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  // No character takes more than three bytes for each of its UTF-16 units.
  return `--${hash.toString(16).padStart(8, '0')}-${name.slice(-80)}`;
}
