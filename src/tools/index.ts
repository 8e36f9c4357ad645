// The built-in tools.
import type { Tool } from '../contracts/index.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { find } from './find.ts';
import { grep } from './grep.ts';
import { ls } from './ls.ts';
import { read } from './read.ts';
import { write } from './write.ts';

export { createRunShell } from './shell.ts';

export const builtinTools: readonly Tool[] = [read, bash, edit, write, grep, find, ls];
