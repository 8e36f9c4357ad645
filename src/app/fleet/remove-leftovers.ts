// Removes the local files of sessions that killed processes have left. The database has them.
import type { Database, Files } from '../../contracts/index.ts';

/** Each process has a directory with the name of its registration. Never rejects. */
export async function removeLeftovers(files: Files, database: Database, parent: string): Promise<void> {
  try {
    const found = (await files.list(parent)).map(({ name }) => name);
    if (found.length === 0) return;
    const rows = await database.query<{ id: string }>('select id from parley.holders where id = any($1)', [found]);
    const registered = new Set(rows.map(({ id }) => id));
    for (const name of found) if (!registered.has(name)) await files.remove(`${parent}/${name}`, { recursive: true });
  } catch {
    // There is no such directory, or it is removed at another time.
  }
}
