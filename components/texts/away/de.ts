import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  notOpened: 'Die Seite lässt sich nicht öffnen',
  notOpenedAbout:
    'Der Server ist nicht erreichbar. Diese Seite ist, wie sie war, mit dem, was Sie eingegeben haben. Nichts wurde geändert.',
  tryAgain: 'Erneut versuchen',
  trying: 'Wird erneut versucht…',
  stay: 'Auf dieser Seite bleiben',
}
