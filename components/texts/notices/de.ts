import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  thisBrowserCantShow: 'Dieser Browser kann keine Hinweise zeigen.',
  thisBrowserBlocksNotices:
    'Dieser Browser blockiert Hinweise dieser Website. Erlauben Sie sie in seinen Einstellungen.',
  newRequestsNeedYou: '{fresh} neue Anfragen brauchen Sie',
  decisionRequested: 'Entscheidung erbeten',
}
