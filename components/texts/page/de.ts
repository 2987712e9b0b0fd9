import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  isNew: 'Neu',
  retained:
    'Am <at>Zeit</at> war die Aufbewahrungsfrist der Organisation für diesen Inhalt abgelaufen, und er wurde gelöscht.',
  erased: 'Am <at>Zeit</at> hat <shown>{name}</shown> personenbezogene Daten gelöscht.',
  unchanged: 'Hashes, Zustände und Einträge im Protokoll sind unverändert.',
}
