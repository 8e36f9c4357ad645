// Schema of a string that is not blank.
import { pipe, regex, string } from 'valibot';

export const nonEmptyString = pipe(string(), regex(/\S/, 'must not be empty'));
