// Table of contents: every dialect, by the name that `--dialect` takes.
import type { Dialect } from '../contracts/index.ts';
import { omp } from './omp/index.ts';

export const dialects: ReadonlyMap<string, Dialect> = new Map([[omp.name, omp]]);
