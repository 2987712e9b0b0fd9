import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  firstDay: 'Erster Tag (UTC)',
  lastDay: 'Letzter Tag (UTC)',
  enterFirstDay: 'Geben Sie den ersten Tag ein.',
  enterLastDay: 'Geben Sie den letzten Tag ein.',
  lastBeforeFirst: 'Wählen Sie einen letzten Tag, der nicht vor dem ersten liegt.',
}
