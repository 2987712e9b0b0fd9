import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  newRequestsNeedYou: '{fresh} neue Anfragen brauchen Sie',
  decisionRequested: 'Entscheidung erbeten',
}
