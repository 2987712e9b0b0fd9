import { isOwn } from '#components/json/leaf-text.ts'
import * as t from '#components/texts/requests/en.ts'

/** The value of a fact. One that could be read as words of the page is quoted: a fact "unknown" has a value, an unknown fact has none. */
export const factText = (value: string): string =>
  isOwn(value) || value.trim().toLowerCase() === t.unknown ? JSON.stringify(value) : value
