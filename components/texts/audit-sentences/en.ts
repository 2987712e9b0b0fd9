import { text } from '#components/language/text.ts'

// What records of the audit log say. English shows the sentence of lib/audit, which files of the log have, too; other languages have
// a sentence for each action.

export const said = text('{action, select, other {{sentence}}}')
export const tried = text('{action, select, other {{sentence}}}')
export const about = text('{name}')
