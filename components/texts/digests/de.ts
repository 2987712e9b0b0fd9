import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  digestOf: 'SHA-256 von: {of}',
}
