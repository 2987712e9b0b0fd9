import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  amount: 'Betrag',
  risk: 'Risiko',
  requestedBy: 'Angefragt von',
  agent: 'Agent',
  againstUsual: 'Im Vergleich zum Üblichen',
  requested: 'Angefragt',
  expires: 'Läuft ab',
  waitingFor: 'Wartet auf',
  compact: 'Dicht',
  comfortable: 'Weit',
}
