// First floor, llm: the models that are known without asking anyone. Data only.
import type { Model } from '../protocol/index.ts';
import { offlineModel } from './offline/model.ts';

export const catalogue: readonly Model[] = [offlineModel];
