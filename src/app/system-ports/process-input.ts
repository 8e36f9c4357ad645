// Writes to the stdin of a child process.
import type { Writable } from 'node:stream';
import { Fault, getErrorMessage } from '../../base/fault.ts';
import type { ProcessInput } from '../../contracts/ports.ts';

export function createProcessInput(stdin: Writable): ProcessInput {
  // Without a listener a broken pipe would crash the agent. Each write reports it to its caller.
  stdin.on('error', () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdin.write(bytes, (error) => {
          if (error) reject(new Fault('tool_failed', `The process does not read: ${getErrorMessage(error)}`));
          else resolve();
        });
      }),
    end: () => void stdin.end(),
  };
}
