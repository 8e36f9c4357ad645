// Table of contents: the default dialect.
import type { Dialect } from '../../contracts/index.ts';
import { createOmpCodec } from './codec.ts';

export const omp: Dialect = {
  name: 'omp',
  doc: 'JSON lines as oh-my-pi and pisces speak them: commands, responses and events over stdio.',
  codec: createOmpCodec,
};
