import { text } from '#components/language/text.ts'

// The language of the page for formats, the locale of its dates (English days are written as in Britain), and its `lang`.

export const tag = text('en')
export const dates = text('en-GB')
export const attribute = text('en')
