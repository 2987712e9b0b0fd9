import { text } from '#components/language/text.ts'

// A digest on one line.

export const digestOf = text('SHA-256 of {of}')
