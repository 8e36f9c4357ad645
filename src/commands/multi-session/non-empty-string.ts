// The schema of an id, a name or a key: at least one character that is not white space.
import { pipe, regex, string } from 'valibot';

export const nonEmptyString = pipe(string(), regex(/\S/, 'must not be empty'));
