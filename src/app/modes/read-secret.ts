// Reads a secret: from the terminal without showing it, or from a pipe.
import { Fault } from '../../base/index.ts';

const MAX_BYTES = 64 * 1024;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const ERASE_KEYS = ['\u007f', '\b'];

/** Without white space at its ends. Empty when nothing was entered. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return readPipe(stdin);
  // First, because the terminal shows what is typed until then.
  stdin.setRawMode(true);
  try {
    stderr.write(question);
    return (await readHiddenLine(stdin)).trim();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

async function readPipe(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) throw new Fault('config', 'stdin contains more than 64 KiB. It should contain only the key.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}

function readHiddenLine(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (settle: () => void) => {
      stdin.off('data', onData);
      settle();
    };
    const onData = (chunk: Buffer) => {
      for (const character of chunk.toString('utf8')) {
        if (character === CTRL_C) return finish(() => reject(new Fault('aborted', 'Cancelled. Nothing was stored.')));
        if (character === '\r' || character === '\n' || character === CTRL_D) return finish(() => resolve(text));
        if (ERASE_KEYS.includes(character)) text = text.slice(0, -1);
        else text = character === CTRL_U ? '' : text + character;
      }
    };
    stdin.on('data', onData);
    stdin.resume();
  });
}
