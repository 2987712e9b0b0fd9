import { text } from '#components/language/text.ts'

// A text for each code of an error. English shows the message of the API, which says more than its code.

export const ofCode = text('{code, select, other {{message}}}')
