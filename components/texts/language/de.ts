import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  tag: 'de',
  dates: 'de',
  attribute: 'de',
}
